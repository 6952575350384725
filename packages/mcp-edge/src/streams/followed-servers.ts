import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';

/**
 * Servers with open streams. The mcp service follows the MCP servers behind them, so that idle clients are notified
 * of changes.
 */
export interface FollowedServers {
  /** Call it when a stream to the server opens. Returns a function to call when the stream closes. */
  opened(accountId: string, serverId: string): () => void;
  close(): void;
}

/** Interval of the requests; the mcp service follows a server for a minute after each. */
const RENEW_MS = 25_000;
/** Delay after an opened stream, because many may open at once. */
const GATHER_MS = 100;
/** Delay after a change: by then, no replica uses the server's former list. */
const CHANGED_MS = 2_000;

/**
 * Calls `follow` with the servers of each account: soon after a stream has opened or servers have changed, and then
 * periodically.
 */
export function createFollowedServers(o: {
  readonly follow: (accountId: string, serverIds: readonly string[]) => Promise<void>;
  /** Subscribes to changes of servers; undefined: the change concerns any account. */
  readonly subscribe: (onChange: (accountId: string | undefined) => void) => unknown;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}): FollowedServers {
  /** Number of streams, by account and server. */
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
    // Accounts that are added meanwhile are left for the next run. One account after the other, because a burst would
    // delay calls.
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
