import type { Addresses } from './live-addresses.ts';

/** One address of a service, with the state for choosing between addresses. */
export interface Endpoint<C> {
  readonly url: string;
  readonly channel: C;
  /** Calls in flight; the balancer counts them. */
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
  /** As `pick`, after the addresses were looked up again; undefined for addresses that are fixed. */
  pickRenewed(tried: ReadonlySet<Endpoint<C>>): Promise<Endpoint<C> | undefined>;
  /** Counts a call that begins at the endpoint. */
  begin(endpoint: Endpoint<C>): void;
  /** Counts a call as ended. The last one at an address that was removed closes its channel. */
  end(endpoint: Endpoint<C>): void;
  /** Records a response, whatever its content. */
  answered(endpoint: Endpoint<C>): void;
  /** Records that it refused, reset or dropped a connection, or that nothing came from it within the time of a call. */
  failed(endpoint: Endpoint<C>): void;
  /** Records that it announced its stop. */
  stopping(endpoint: Endpoint<C>): void;
  /** Ends the subscription to changes of the addresses and closes all channels. */
  close(): Promise<void>;
}

/** Connects to the addresses of a service. */
interface Channels<C> {
  open(url: string): C;
  close(channel: C): Promise<void>;
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
 * An address that is removed gets no further call; its calls in flight end, then its channel is closed. When one fails or
 * is about to stop, the addresses are looked up again.
 */
export function createEndpointBalancer<C>(
  addresses: Addresses,
  channels: Channels<C>,
  o: { readonly now?: () => number; readonly random?: () => number } = {},
): EndpointBalancer<C> {
  const { now = () => performance.now(), random = Math.random } = o;
  const live = 'renew' in addresses ? addresses : undefined;
  const first = 'renew' in addresses ? addresses.current() : addresses;
  if (live === undefined && first.length === 0) throw new TypeError('A service needs at least one address.');
  const endpoints: Endpoint<C>[] = [];
  /** Removed, with calls in flight. */
  const removed = new Set<Endpoint<C>>();

  function create(url: string): Endpoint<C> {
    const state = { inFlight: 0, answers: 0, failures: 0, avoidUntil: 0, isStopping: false };
    return { url, channel: channels.open(url), ...state };
  }

  function update(urls: readonly string[]): void {
    const known = new Map(endpoints.map((endpoint) => [endpoint.url, endpoint]));
    endpoints.splice(0, Infinity, ...urls.map((url) => known.get(url) ?? create(url)));
    const kept = new Set(endpoints);
    for (const endpoint of known.values()) {
      if (kept.has(endpoint)) continue;
      if (endpoint.inFlight > 0) removed.add(endpoint);
      else void channels.close(endpoint.channel);
    }
  }

  function lessLoaded(of: readonly Endpoint<C>[]): Endpoint<C> | undefined {
    if (of.length < 2) return of[0];
    const first = Math.floor(random() * of.length);
    const second = (first + 1 + Math.floor(random() * (of.length - 1))) % of.length;
    const [a, b] = [of[first], of[second]];
    return a !== undefined && b !== undefined && b.inFlight < a.inFlight ? b : a;
  }

  function pick(tried: ReadonlySet<Endpoint<C>>): Endpoint<C> | undefined {
    const [only] = endpoints;
    if (endpoints.length === 1) return only === undefined || tried.has(only) ? undefined : only;
    const open = endpoints.filter((endpoint) => !tried.has(endpoint));
    const time = now();
    const picked =
      lessLoaded(open.filter(({ avoidUntil }) => avoidUntil <= time)) ??
      lessLoaded(open.filter(({ isStopping }) => !isStopping)) ??
      lessLoaded(open);
    if (picked !== undefined && picked.avoidUntil !== 0) picked.avoidUntil = time + pauseMs(picked.failures);
    return picked;
  }

  update(first);
  const unsubscribe = live?.subscribe(() => update(live.current()));
  return {
    endpoints,
    pick,
    async pickRenewed(tried) {
      if (live === undefined) return undefined;
      await live.renew();
      return pick(tried);
    },
    begin(endpoint) {
      endpoint.inFlight += 1;
    },
    end(endpoint) {
      endpoint.inFlight -= 1;
      if (endpoint.inFlight === 0 && removed.delete(endpoint)) void channels.close(endpoint.channel);
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
      void live?.renew();
    },
    stopping(endpoint) {
      endpoint.answers += 1;
      endpoint.failures = 0;
      endpoint.avoidUntil = now() + STOPPING_MS;
      endpoint.isStopping = true;
      // Its successor is known by now, because a replica serves for a while after it was told to stop.
      void live?.renew();
    },
    async close() {
      unsubscribe?.();
      const open = [...endpoints, ...removed];
      // Their last calls end now, and must not close them again.
      removed.clear();
      await Promise.all(open.map(({ channel }) => channels.close(channel)));
    },
  };
}

function pauseMs(failures: number): number {
  return Math.min(FIRST_EJECTION_MS * 2 ** Math.max(failures - 1, 0), LONGEST_EJECTION_MS);
}
