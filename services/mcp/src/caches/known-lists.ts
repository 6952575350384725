import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { Timers } from '@fairlead/service-kit/timers';
import { readUpstreamLists } from '../domain/upstream-lists.ts';
import type { UpstreamLists, UpstreamListsJson } from '../domain/upstream-lists.ts';
import type {
  ConnectionName,
  Wish,
  UpstreamListCache,
  UpstreamListStore,
  UpstreamRequests,
} from '../ports/upstreams.ts';

/** Age from which lists are read again: when listing, and when searching an item in them. */
const FRESH_MS = 1_000;
const KNOWN_FRESH_MS = 60_000;
/** Pause before the stored lists, which another replica may have read, are compared again. */
const STORED_FRESH_MS = 2_000;
/** Longest wait when listing: if there are cached lists, and if there are none. */
const WAIT_MS = { fresh: 1_000, first: 5_000 };
const READ_TIMEOUT_MS = 20_000;
/** After an upstream has not answered, listing does not wait for it for this time. */
const SLOW_MS = 30_000;
/** Cache size of all lists, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 2_000;

interface Entry {
  lists: UpstreamLists | undefined;
  digest: string | undefined;
  /** When the lists were read, and when they were last compared with the stored ones. */
  readAtMs: number;
  loadedAtMs: number;
  /** When the upstream last failed, and when it last delayed a list for too long. */
  failedAtMs: number;
  slowAtMs: number;
  /** Whether somebody got other lists than the reading in progress will bring. */
  isMissed: boolean;
  reading: Promise<void> | undefined;
}

/**
 * The last known lists of upstreams, in memory and in the store. They are re-read on behalf of the account, not the caller. A slow or dead
 * upstream delays a list once and changes nothing. If its credential is refused, its lists are dropped. `onChange` is called with the
 * account after lists have changed.
 */
export function createUpstreamListCache(o: {
  readonly requests: Pick<UpstreamRequests, 'readLists'>;
  readonly store: UpstreamListStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onChange: (accountId: string) => Promise<void>;
}): UpstreamListCache {
  const entries = new Map<string, Entry>();
  const nowMs = (): number => o.clock.now().getTime();

  function entryOf({ accountId, connectionId }: ConnectionName): Entry {
    const key = `${accountId} ${connectionId}`;
    const entry = entries.get(key) ?? {
      lists: undefined,
      digest: undefined,
      readAtMs: -Infinity,
      loadedAtMs: -Infinity,
      failedAtMs: -Infinity,
      slowAtMs: -Infinity,
      isMissed: false,
      reading: undefined,
    };
    // Least recently used first.
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  function keep(entry: Entry, lists: UpstreamLists | undefined, digest: string | undefined): void {
    entry.lists = lists;
    entry.digest = digest;
    let bytes = 0;
    for (const other of entries.values()) bytes += other.lists?.size ?? 0;
    for (const [key, oldest] of entries) {
      if (bytes <= MAX_BYTES && entries.size <= MAX_ENTRIES) return;
      if (oldest === entry) continue;
      entries.delete(key);
      bytes -= oldest.lists?.size ?? 0;
    }
  }

  async function load(ctx: RequestContext, name: ConnectionName, entry: Entry): Promise<void> {
    const startedAtMs = nowMs();
    if (startedAtMs - entry.loadedAtMs < STORED_FRESH_MS) return;
    const stored = await o.store.find(ctx, name, entry.digest);
    entry.loadedAtMs = startedAtMs;
    if (stored === undefined) return keep(entry, undefined, undefined);
    entry.readAtMs = Math.max(entry.readAtMs, stored.readAt.getTime());
    if (stored.lists !== undefined) keep(entry, readUpstreamLists(stored.lists), stored.digest);
  }

  async function readAgain(ctx: RequestContext, name: ConnectionName, entry: Entry): Promise<void> {
    const { digest: former } = entry;
    const answer = await o.requests.readLists(ctx, name.connectionId);
    if (answer.kind === 'failure' && !answer.isUnauthorized) {
      entry.failedAtMs = nowMs();
      return;
    }
    const readAt = o.clock.now();
    entry.readAtMs = entry.loadedAtMs = readAt.getTime();
    if (answer.kind === 'failure') {
      entry.failedAtMs = readAt.getTime();
      keep(entry, undefined, undefined);
      await o.store.remove(ctx, name);
    } else {
      entry.failedAtMs = entry.slowAtMs = -Infinity;
      const digest = digestOf(answer.lists);
      if (digest === former) return await o.store.touch(ctx, name, readAt);
      keep(entry, readUpstreamLists(answer.lists), digest);
      await o.store.save(ctx, name, { digest, readAt }, answer.lists);
    }
    if (entry.digest !== former && (former !== undefined || entry.isMissed)) await o.onChange(name.accountId);
  }

  function startReading(ctx: RequestContext, name: ConnectionName, entry: Entry): Promise<void> {
    const caller = { kind: 'serviceForAccount', service: 'mcp', accountId: name.accountId } as const;
    const own = { ...detachedContext(ctx, READ_TIMEOUT_MS), caller };
    if (entry.reading !== undefined) return entry.reading;
    entry.isMissed = false;
    entry.reading = readAgain(own, name, entry)
      .catch((error: unknown) => {
        entry.failedAtMs = nowMs();
        own.log.warn(
          { err: error, connectionId: name.connectionId },
          'the lists of an MCP server were not read',
        );
      })
      .finally(() => {
        entry.reading = undefined;
      });
    return entry.reading;
  }

  /** Whether the reading ended in time. */
  async function within(reading: Promise<void>, ms: number): Promise<boolean> {
    const timeout = Promise.withResolvers<false>();
    const timer = o.timers.after(ms, () => timeout.resolve(false));
    try {
      return await Promise.race([reading.then(() => true), timeout.promise]);
    } finally {
      timer.cancel();
    }
  }

  async function find(
    ctx: RequestContext,
    name: ConnectionName,
    wish: Wish,
  ): Promise<UpstreamLists | undefined> {
    const entry = entryOf(name);
    await load(ctx, name, entry);
    const { lists } = entry;
    const freshMs = wish !== 'fresh' && lists !== undefined ? KNOWN_FRESH_MS : FRESH_MS;
    if (nowMs() - entry.readAtMs < freshMs) return lists;
    const reading = startReading(ctx, name, entry);
    const waitMs = waitOf(entry, wish);
    if (waitMs > 0 && (await within(reading, waitMs))) return entry.lists;
    if (wish === 'fresh') entry.slowAtMs = waitMs > 0 ? nowMs() : entry.slowAtMs;
    entry.isMissed = true;
    return entry.lists;
  }

  function waitOf({ lists, failedAtMs, slowAtMs }: Entry, wish: Wish): number {
    if (wish === 'atOnce' || nowMs() - failedAtMs < SLOW_MS) return 0;
    if (wish === 'known') return lists === undefined ? READ_TIMEOUT_MS : 0;
    if (nowMs() - slowAtMs < SLOW_MS) return 0;
    return lists === undefined ? WAIT_MS.first : WAIT_MS.fresh;
  }

  return {
    find: (ctx, connectionIds, wish) => {
      const accountId = actingAccountOf(ctx);
      return Promise.all(connectionIds.map((connectionId) => find(ctx, { accountId, connectionId }, wish)));
    },
  };
}

function digestOf({ prompts, resources, templates, ...abilities }: UpstreamListsJson): string {
  const hash = createHash('sha256').update(JSON.stringify(abilities));
  for (const list of [prompts, resources, templates]) hash.update(String(list.length)).update(list);
  return hash.digest('base64url');
}
