import { createPool } from './endpoint-pool.ts';
import type { Channels, Pool } from './endpoint-pool.ts';
import type { Addresses } from './live-addresses.ts';
import type { Track, Endpoint } from './endpoint.ts';

/** Chooses an address for each call. */
export interface EndpointBalancer<C> {
  /** Stable endpoints. */
  readonly endpoints: readonly Endpoint<C>[];
  /**
   * The endpoint for the next attempt, or undefined if all are in `tried`. A call to the canary goes to a stable
   * endpoint if no canary endpoint is likely to respond; a call to stable (the default) never goes to the canary.
   */
  pick(tried: ReadonlySet<Endpoint<C>>, track?: Track): Endpoint<C> | undefined;
  /** Picks after another look-up of the addresses; undefined for fixed addresses. */
  pickRenewed(tried: ReadonlySet<Endpoint<C>>, track?: Track): Promise<Endpoint<C> | undefined>;
  /** Counts a call that begins at the endpoint. */
  begin(endpoint: Endpoint<C>): void;
  /** Counts the end of a call. The last call at a removed address closes its channel. */
  end(endpoint: Endpoint<C>): void;
  /** Records a response, whatever its content. */
  answered(endpoint: Endpoint<C>): void;
  /** Records that the endpoint refused, reset or dropped a connection, or sent nothing within a call's time. */
  failed(endpoint: Endpoint<C>): void;
  /** Records that the endpoint announced its stop. */
  stopping(endpoint: Endpoint<C>): void;
  /** Ends the subscription to changes of the addresses and closes all channels. */
  close(): Promise<void>;
}

/** The addresses of a service's canary. */
export interface CanaryAddresses {
  readonly addresses: Addresses;
  /** Called for each call to the canary that goes to stable instead. */
  readonly onFallback: () => void;
}

const FIRST_EJECTION_MS = 100;
const LONGEST_EJECTION_MS = 10_000;
// Time after a stop during which the endpoint is avoided. Then one call probes whether its successor listens; if not,
// that call goes to another address.
const STOPPING_MS = 1_000;

/**
 * Picks two addresses at random and returns the one with fewer calls in flight: as even as a full comparison, without
 * all callers choosing the same one. An address that failed is avoided for 100 ms, doubled each time up to 10 s; then
 * one call probes it while the others still avoid it. If all are avoided, one is called anyway. An address that is
 * about to stop comes last, because it may close a connection together with the request, whereas a dead one refuses
 * the connection. A removed address gets no further call; after its calls in flight, its channel is closed. When an
 * address fails or is about to stop, the addresses are looked up again. A call to the canary does not wait for any of
 * this: if all canary addresses are avoided, it goes to stable.
 */
export function createEndpointBalancer<C>(
  addresses: Addresses,
  channels: Channels<C>,
  o: {
    readonly now?: () => number;
    readonly random?: () => number;
    readonly canary?: CanaryAddresses | undefined;
  } = {},
): EndpointBalancer<C> {
  const { now = () => performance.now(), random = Math.random } = o;
  if (!('renew' in addresses) && addresses.length === 0)
    throw new TypeError('A service needs at least one address.');
  const stable = createPool('stable', addresses, channels);
  const canary = o.canary && createPool('canary', o.canary.addresses, channels);
  const poolOf = ({ track }: Endpoint<C>): Pool<C> => (track === 'canary' && canary) || stable;

  function lessLoaded(of: readonly Endpoint<C>[]): Endpoint<C> | undefined {
    if (of.length < 2) return of[0];
    const first = Math.floor(random() * of.length);
    const second = (first + 1 + Math.floor(random() * (of.length - 1))) % of.length;
    const [a, b] = [of[first], of[second]];
    return a !== undefined && b !== undefined && b.inFlight < a.inFlight ? b : a;
  }

  function pickStable(tried: ReadonlySet<Endpoint<C>>): Endpoint<C> | undefined {
    const { endpoints } = stable;
    const [only] = endpoints;
    if (endpoints.length === 1) return only === undefined || tried.has(only) ? undefined : only;
    const open = endpoints.filter((endpoint) => !tried.has(endpoint));
    const time = now();
    const picked =
      lessLoaded(open.filter(({ avoidUntil }) => avoidUntil <= time)) ??
      lessLoaded(open.filter(({ isStopping }) => !isStopping)) ??
      lessLoaded(open);
    return picked && attempted(picked, time);
  }

  function pickCanary(tried: ReadonlySet<Endpoint<C>>): Endpoint<C> | undefined {
    const time = now();
    const open = canary?.endpoints.filter((one) => !tried.has(one) && one.avoidUntil <= time) ?? [];
    const picked = lessLoaded(open);
    return picked && attempted(picked, time);
  }

  /** While one call probes an avoided endpoint, the others still avoid it. */
  function attempted(endpoint: Endpoint<C>, time: number): Endpoint<C> {
    if (endpoint.avoidUntil !== 0) endpoint.avoidUntil = time + pauseMs(endpoint.failures);
    return endpoint;
  }

  function pick(tried: ReadonlySet<Endpoint<C>>, track: Track = 'stable'): Endpoint<C> | undefined {
    if (track === 'stable') return pickStable(tried);
    const endpoint = pickCanary(tried);
    if (endpoint !== undefined) return endpoint;
    // At most once per call.
    if (![...tried].some((former) => former.track === 'stable')) o.canary?.onFallback();
    return pickStable(tried);
  }

  return {
    endpoints: stable.endpoints,
    pick,
    async pickRenewed(tried, track) {
      if (!stable.isLive) return undefined;
      await stable.renew();
      return pick(tried, track);
    },
    begin(endpoint) {
      endpoint.inFlight += 1;
    },
    end(endpoint) {
      endpoint.inFlight -= 1;
      if (endpoint.inFlight === 0) poolOf(endpoint).closeIfRemoved(endpoint);
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
      void poolOf(endpoint).renew();
    },
    stopping(endpoint) {
      endpoint.answers += 1;
      endpoint.failures = 0;
      endpoint.avoidUntil = now() + STOPPING_MS;
      endpoint.isStopping = true;
      // The successor's address is known by now, because a replica keeps serving for a while after it was told to
      // stop.
      void poolOf(endpoint).renew();
    },
    async close() {
      await Promise.all([stable.close(), canary?.close()]);
    },
  };
}

function pauseMs(failures: number): number {
  return Math.min(FIRST_EJECTION_MS * 2 ** Math.max(failures - 1, 0), LONGEST_EJECTION_MS);
}
