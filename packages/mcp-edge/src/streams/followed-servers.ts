import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';

/** Servers whose clients have open streams: the MCP servers behind them are followed meanwhile, so that idle clients get their changes. */
export interface FollowedServers {
  /** A stream to the server has opened. Returns a function to call when it has closed. */
  opened(accountId: string, serverId: string): () => void;
  close(): void;
}

/** The mcp service follows a server for a minute after each request. */
const RENEW_MS = 25_000;
/** Many streams may open at once. */
const GATHER_MS = 100;
/** By then no replica uses an older list of the server. */
const CHANGED_MS = 2_000;

/** Has `follow` called with the servers of each account, soon after a stream has opened or servers have changed, and again and again. */
export function createFollowedServers(o: {
  readonly follow: (accountId: string, serverIds: readonly string[]) => Promise<void>;
  /** Subscribes to changes of servers; undefined: of any account. */
  readonly subscribe: (onChange: (accountId: string | undefined) => void) => unknown;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}): FollowedServers {
  /** The number of streams by server, by account. */
  const accounts = new Map<string, Map<string, number>>();
  const planned = new Set<string>();
  let isClosed = false;

  async function renew(accountId: string): Promise<void> {
    const servers = accounts.get(accountId);
    if (servers === undefined || isClosed) return;
    await o
      .follow(accountId, [...servers.keys()])
      .catch((error: unknown) => o.log.warn({ err: error }, 'servers of open streams are not followed'));
  }

  function plan(accountId: string, afterMs: number): void {
    const key = `${afterMs} ${accountId}`;
    if (!accounts.has(accountId) || planned.has(key)) return;
    planned.add(key);
    o.timers.after(afterMs, () => {
      planned.delete(key);
      void renew(accountId);
    });
  }

  async function renewAll(): Promise<void> {
    // Without those that come meanwhile, and one after the other: a burst would hold up calls.
    const known = [...accounts.keys()];
    for (const accountId of known) await renew(accountId);
    if (!isClosed) planRenewal();
  }

  function planRenewal(): void {
    o.timers.after(RENEW_MS, () => void renewAll());
  }

  o.subscribe((accountId) => {
    for (const each of accountId === undefined ? accounts.keys() : [accountId]) plan(each, CHANGED_MS);
  });
  planRenewal();

  return {
    opened(accountId, serverId) {
      const servers = accounts.get(accountId) ?? new Map<string, number>();
      accounts.set(accountId, servers);
      servers.set(serverId, (servers.get(serverId) ?? 0) + 1);
      plan(accountId, GATHER_MS);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (servers.get(serverId) ?? 0) - 1;
        if (left > 0) servers.set(serverId, left);
        else servers.delete(serverId);
        if (servers.size === 0 && accounts.get(accountId) === servers) accounts.delete(accountId);
      };
    },
    close() {
      isClosed = true;
    },
  };
}
