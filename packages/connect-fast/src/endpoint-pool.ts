import type { Addresses } from './live-addresses.ts';
import type { Endpoint, Track } from './endpoint.ts';

/** Opens channels to the addresses of a service. */
export interface Channels<C> {
  open(url: string): C;
  close(channel: C): Promise<void>;
}

/** The endpoints of one track of a service, as its addresses change. */
export interface Pool<C> {
  readonly endpoints: readonly Endpoint<C>[];
  /** Whether the addresses can change. */
  readonly isLive: boolean;
  /** Looks the addresses up again. */
  renew(): Promise<void>;
  /** Closes a removed endpoint's channel, after its last call. */
  closeIfRemoved(endpoint: Endpoint<C>): void;
  /** Ends the subscription to changes of the addresses and closes all channels. */
  close(): Promise<void>;
}

/** A pool with the endpoints at `addresses`. */
export function createPool<C>(track: Track, addresses: Addresses, channels: Channels<C>): Pool<C> {
  const live = 'renew' in addresses ? addresses : undefined;
  const endpoints: Endpoint<C>[] = [];
  /** Removed endpoints with calls in flight. */
  const removed = new Set<Endpoint<C>>();

  function create(url: string): Endpoint<C> {
    const state = { inFlight: 0, answers: 0, failures: 0, avoidUntil: 0, isStopping: false };
    return { url, track, channel: channels.open(url), ...state };
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

  update('renew' in addresses ? addresses.current() : addresses);
  const unsubscribe = live?.subscribe(() => update(live.current()));
  return {
    endpoints,
    isLive: live !== undefined,
    renew: () => live?.renew() ?? Promise.resolve(),
    closeIfRemoved(endpoint) {
      if (removed.delete(endpoint)) void channels.close(endpoint.channel);
    },
    async close() {
      unsubscribe?.();
      const open = [...endpoints, ...removed];
      // Closing ends their calls, which must not close the channels again.
      removed.clear();
      await Promise.all(open.map(({ channel }) => channels.close(channel)));
    },
  };
}
