/** One address of a service, with the state for choosing between addresses. */
export interface Endpoint<C> {
  readonly url: string;
  readonly channel: C;
  /** Calls in flight. */
  inFlight: number;
  /** Responses so far. */
  answers: number;
  /** Failures since its last response. */
  failures: number;
  /** Until when others are preferred, in milliseconds of the balancer's clock. */
  avoidUntil: number;
  /** Whether others are preferred because it is about to stop, not because it failed. */
  isStopping: boolean;
}

/** Chooses an address for each call. */
export interface EndpointBalancer<C> {
  readonly endpoints: readonly Endpoint<C>[];
  /** The endpoint to call next, or undefined if all are in `tried`. */
  pick(tried: ReadonlySet<Endpoint<C>>): Endpoint<C> | undefined;
  /** Records a response, whatever its content. */
  answered(endpoint: Endpoint<C>): void;
  /** Records that it refused, reset or dropped a connection, or that nothing came from it within the time of a call. */
  failed(endpoint: Endpoint<C>): void;
  /** Records that it announced its stop. */
  stopping(endpoint: Endpoint<C>): void;
}

const FIRST_EJECTION_MS = 100;
const LONGEST_EJECTION_MS = 10_000;
// Afterwards one call probes whether its successor listens there; if not, that call goes to another address.
const STOPPING_MS = 1_000;

/**
 * Picks the address with fewer calls in flight of two chosen at random: as even as a full comparison, without all
 * callers choosing the same one. An address that failed is avoided for 100 ms, doubled each time up to 10 s; then
 * one call tries it while the others still avoid it. If all are to be avoided, one of them is called anyway. One that
 * is about to stop comes last, because it may close a connection with the request on it, whereas one that is down refuses it.
 */
export function createEndpointBalancer<C>(
  addresses: readonly string[],
  open: (url: string) => C,
  o: { readonly now?: () => number; readonly random?: () => number } = {},
): EndpointBalancer<C> {
  const { now = () => performance.now(), random = Math.random } = o;
  if (addresses.length === 0) throw new TypeError('A service needs at least one address.');
  const endpoints = addresses.map((url): Endpoint<C> => ({
    url,
    channel: open(url),
    inFlight: 0,
    answers: 0,
    failures: 0,
    avoidUntil: 0,
    isStopping: false,
  }));
  const [only] = endpoints;

  function lessLoaded(of: readonly Endpoint<C>[]): Endpoint<C> | undefined {
    if (of.length < 2) return of[0];
    const first = Math.floor(random() * of.length);
    const second = (first + 1 + Math.floor(random() * (of.length - 1))) % of.length;
    const [a, b] = [of[first], of[second]];
    return a !== undefined && b !== undefined && b.inFlight < a.inFlight ? b : a;
  }

  return {
    endpoints,
    pick(tried) {
      if (endpoints.length === 1) return only === undefined || tried.has(only) ? undefined : only;
      const open = endpoints.filter((endpoint) => !tried.has(endpoint));
      const time = now();
      const picked =
        lessLoaded(open.filter(({ avoidUntil }) => avoidUntil <= time)) ??
        lessLoaded(open.filter(({ isStopping }) => !isStopping)) ??
        lessLoaded(open);
      if (picked !== undefined && picked.avoidUntil !== 0)
        picked.avoidUntil = time + pauseMs(picked.failures);
      return picked;
    },
    answered(endpoint) {
      endpoint.answers += 1;
      endpoint.failures = 0;
      endpoint.avoidUntil = 0;
    },
    failed(endpoint) {
      endpoint.failures += 1;
      endpoint.avoidUntil = now() + pauseMs(endpoint.failures);
      endpoint.isStopping = false;
    },
    stopping(endpoint) {
      endpoint.answers += 1;
      endpoint.failures = 0;
      endpoint.avoidUntil = now() + STOPPING_MS;
      endpoint.isStopping = true;
    },
  };
}

function pauseMs(failures: number): number {
  return Math.min(FIRST_EJECTION_MS * 2 ** Math.max(failures - 1, 0), LONGEST_EJECTION_MS);
}
