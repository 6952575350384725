/** One address of a service, with the state that a choice between addresses needs. */
export interface Endpoint<C> {
  readonly url: string;
  readonly channel: C;
  /** Calls that it has not answered yet. */
  inFlight: number;
  /** Failures since its last answer. */
  failures: number;
  /** Milliseconds of the balancer's clock until which others are preferred. */
  avoidUntil: number;
  /** While others are preferred: because it is about to stop, not because it failed. */
  isStopping: boolean;
}

/** Chooses an address for each call. */
export interface EndpointBalancer<C> {
  readonly endpoints: readonly Endpoint<C>[];
  /** The one to call next, or undefined when every one is in `tried`. */
  pick(tried: ReadonlySet<Endpoint<C>>): Endpoint<C> | undefined;
  /** It answered, whatever it said. */
  answered(endpoint: Endpoint<C>): void;
  /** It refused, reset or dropped a connection. */
  failed(endpoint: Endpoint<C>): void;
  /** It said that it is about to stop. */
  stopping(endpoint: Endpoint<C>): void;
}

const FIRST_EJECTION_MS = 100;
const LONGEST_EJECTION_MS = 10_000;
// Afterwards one call looks whether its successor listens there; where nobody does, another address answers that call.
const STOPPING_MS = 1_000;

/**
 * Of two addresses taken at random the one with fewer calls in flight: as even as a full comparison, without all
 * callers running to the same one. An address that failed is left alone for 100 ms, doubled each time up to 10 s; then
 * one call tries it while the others still keep away. Where all are to be left alone, one of them is called anyway: one
 * that is about to stop last of all, because it may end a connection with the request on it, where one that is down refuses it.
 */
export function createEndpointBalancer<C>(
  addresses: readonly string[],
  open: (url: string) => C,
  o: { readonly now?: () => number; readonly random?: () => number } = {},
): EndpointBalancer<C> {
  const { now = () => performance.now(), random = Math.random } = o;
  if (addresses.length === 0) throw new TypeError('A service has at least one address.');
  const endpoints = addresses.map((url): Endpoint<C> => ({
    url,
    channel: open(url),
    inFlight: 0,
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
      endpoint.failures = 0;
      endpoint.avoidUntil = 0;
    },
    failed(endpoint) {
      endpoint.failures += 1;
      endpoint.avoidUntil = now() + pauseMs(endpoint.failures);
      endpoint.isStopping = false;
    },
    stopping(endpoint) {
      endpoint.failures = 0;
      endpoint.avoidUntil = now() + STOPPING_MS;
      endpoint.isStopping = true;
    },
  };
}

function pauseMs(failures: number): number {
  return Math.min(FIRST_EJECTION_MS * 2 ** Math.max(failures - 1, 0), LONGEST_EJECTION_MS);
}
