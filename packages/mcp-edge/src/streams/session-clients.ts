import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';
import type { Session } from './session-ids.ts';

/** The part of a session's client that is in no session id; an absent member is unknown. */
export interface SessionClientRecord {
  readonly capabilities?: CapabilityBits;
  readonly logLevel?: string;
}

/** The clients of sessions, known to every replica. */
export interface SessionClients {
  /** Undefined: nothing is known. */
  find(ctx: RequestContext, key: string): Promise<SessionClientRecord | undefined>;
  /** Adds to what is known, until the session expires. */
  add(
    ctx: RequestContext,
    session: Pick<Session, 'key' | 'expiresAt'>,
    record: SessionClientRecord,
  ): Promise<void>;
}

/** The resources to which sessions are subscribed. */
export interface SessionSubscriptions {
  /** The URIs; none if the session has expired. */
  find(ctx: RequestContext, key: string): Promise<readonly string[]>;
  /** Adds a subscription until the session expires. False: it has as many as it may have. */
  add(ctx: RequestContext, session: Pick<Session, 'key' | 'expiresAt'>, uri: string): Promise<boolean>;
  remove(ctx: RequestContext, key: string, uri: string): Promise<void>;
}

/** Most subscriptions of a session. */
export const MAX_SUBSCRIPTIONS = 100;

/** While no change can be missed. */
const FRESH_MS = 30_000;
/** Longest time that a change may go unnoticed. */
const UNCERTAIN_MS = 2_000;
const MAX_SESSIONS = 20_000;

/** Records of a store. It is asked about a session once within FRESH_MS, unless changes may be missed: they are announced. */
export function cacheSessionClients(
  store: SessionClients,
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'> & {
    /** Announces a change to all replicas, this one too. Never rejects. */
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
    // Callers share a load, which must not end with one of them.
    find: (ctx, key) => cache.get(key, () => store.find({ ...ctx, signal: NEVER, deadline: undefined }, key)),
    async add(ctx, session, record) {
      await store.add(ctx, session, record);
      changeHere(session.key);
      await o.announce(session.key);
    },
  };
}

const NEVER = new AbortController().signal;
