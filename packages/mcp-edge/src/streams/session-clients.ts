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
  /** Resources whose changes it is told of. */
  readonly resourceUris?: readonly string[];
}

/** The clients of sessions, known to every replica. */
export interface SessionClients {
  /** Undefined: nothing is known. */
  find(ctx: RequestContext, key: string): Promise<SessionClientRecord | undefined>;
  /** Adds to what is known, until the session expires. */
  add(
    ctx: RequestContext,
    session: Pick<Session, 'key' | 'expiresAt'>,
    record: Omit<SessionClientRecord, 'resourceUris'>,
  ): Promise<void>;
  /** Has the client told of changes of a resource from now on, or no longer, until the session expires. */
  follow(
    ctx: RequestContext,
    session: Pick<Session, 'key' | 'expiresAt'>,
    uri: string,
    isFollowed: boolean,
  ): Promise<void>;
}

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
    /** Called after any change that was made or announced, from which on `find` returns the new record. */
    readonly onChange: (key: string) => void;
  },
): SessionClients {
  let changeHere: OnChange = () => undefined;
  const cache = createChangeCaches({
    clock: o.clock,
    subscribe(onChange) {
      changeHere = (key, ...rest) => {
        onChange(key, ...rest);
        if (key !== undefined) o.onChange(key);
      };
      return o.subscribe(changeHere);
    },
    freshMs: FRESH_MS,
    uncertainMs: UNCERTAIN_MS,
    announcedMs: 0,
    maxEntries: MAX_SESSIONS,
  }).open<SessionClientRecord | undefined>((_record, key) => key);
  const announced = async (key: string): Promise<void> => {
    changeHere(key);
    await o.announce(key);
  };
  return {
    // Callers share a load, which must not end with one of them.
    find: (ctx, key) => cache.get(key, () => store.find({ ...ctx, signal: NEVER, deadline: undefined }, key)),
    async add(ctx, session, record) {
      await store.add(ctx, session, record);
      await announced(session.key);
    },
    async follow(ctx, session, uri, isFollowed) {
      await store.follow(ctx, session, uri, isFollowed);
      await announced(session.key);
    },
  };
}

const NEVER = new AbortController().signal;
