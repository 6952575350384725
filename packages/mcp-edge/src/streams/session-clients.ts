import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';
import type { Session } from './session-ids.ts';

/** The information about a session's client that the session id does not contain; an absent member is unknown. */
export interface SessionClientRecord {
  readonly capabilities?: CapabilityBits;
  readonly logLevel?: string;
}

/** The clients of sessions, known to all replicas. */
export interface SessionClients {
  /** The client; undefined: unknown. */
  find(ctx: RequestContext, key: string): Promise<SessionClientRecord | undefined>;
  /** Adds information, which is kept until the session expires. */
  add(
    ctx: RequestContext,
    session: Pick<Session, 'key' | 'expiresAt'>,
    record: SessionClientRecord,
  ): Promise<void>;
}

/** The sessions' subscriptions to resources. */
export interface SessionSubscriptions {
  /** The subscribed URIs; none if the session has expired. */
  find(ctx: RequestContext, key: string): Promise<readonly string[]>;
  /** Adds a subscription, which is kept until the session expires. False: the session has the maximum number. */
  add(ctx: RequestContext, session: Pick<Session, 'key' | 'expiresAt'>, uri: string): Promise<boolean>;
  remove(ctx: RequestContext, key: string, uri: string): Promise<void>;
}

/** Maximum subscriptions of a session. */
export const MAX_SUBSCRIPTIONS = 100;

/** Lifetime of a cached record while every change is announced. */
const FRESH_MS = 30_000;
/** Lifetime while a change may go unnoticed. */
const UNCERTAIN_MS = 2_000;
const MAX_SESSIONS = 20_000;

/**
 * Caches a store's records. The store is asked about a session once within FRESH_MS, unless announcements of changes
 * may be lost.
 */
export function cacheSessionClients(
  store: SessionClients,
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'> & {
    /** Announces a change to all replicas, including this one. Never rejects. */
    readonly announce: (key: string) => Promise<void>;
  },
): SessionClients {
  let changeHere: OnChange = () => undefined;
  const cache = createChangeCaches({
    clock: o.clock,
    subscribe(onChange) {
      changeHere = onChange;
      return o.subscribe(onChange);
    },
    freshMs: FRESH_MS,
    uncertainMs: UNCERTAIN_MS,
    announcedMs: 0,
    maxEntries: MAX_SESSIONS,
  }).open<SessionClientRecord | undefined>((_record, key) => key);
  return {
    // Callers share a load, which must not be aborted when one of them leaves.
    find: (ctx, key) => cache.get(key, () => store.find({ ...ctx, signal: NEVER, deadline: undefined }, key)),
    async add(ctx, session, record) {
      await store.add(ctx, session, record);
      changeHere(session.key);
      await o.announce(session.key);
    },
  };
}

const NEVER = new AbortController().signal;
