import { trackChanges } from '@fairlead/service-kit/cache/change-tracker';
import type { ChangeTrackerOptions, Requested } from '@fairlead/service-kit/cache/change-tracker';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Session } from './session-ids.ts';

/** The sessions that their clients have ended, known to every replica. */
export interface EndedSessions {
  /** Ends a session; again is harmless. */
  add(ctx: RequestContext, session: Pick<Session, 'key' | 'expiresAt'>): Promise<void>;
  /** Whether the session with this key was ended. */
  has(ctx: RequestContext, key: string): Promise<boolean>;
}

/** How long a session is taken to go on after a look at the store, while no end can be missed. */
const FRESH_MS = 30_000;
/** 100 bytes each, open and ended ones apart. */
const MAX_SESSIONS = 20_000;

/** Ended sessions of a store. It is asked about a session once within FRESH_MS, unless ends may be missed: ends are announced. */
export function cacheEndedSessions(
  store: EndedSessions,
  o: Pick<ChangeTrackerOptions, 'clock' | 'subscribe'> & {
    /** Announces an end to all replicas, this one too. Never rejects. */
    readonly announce: (key: string) => Promise<void>;
  },
): EndedSessions {
  const open = new Map<string, Requested>();
  const ended = new Map<string, true>();
  const note = (key: string): void => {
    open.delete(key);
    rememberRecent(ended, key, true, MAX_SESSIONS);
  };
  const changes = trackChanges({ ...o, announcedMs: 0 }, FRESH_MS, (key) => key !== undefined && note(key));

  return {
    async add(ctx, session) {
      const { key } = session;
      // Before, so that no replica relies on the store while it is written; afterwards for one that has just begun to.
      await o.announce(key);
      await store.add(ctx, session);
      note(key);
      await o.announce(key);
    },
    async has(ctx, key) {
      if (ended.has(key)) return true;
      const nowMs = o.clock.now().getTime();
      const known = open.get(key);
      if (known !== undefined && nowMs - known.askedAt < FRESH_MS && changes.isOfSession(known)) return false;
      const requested = changes.requested(nowMs);
      const before = changes.count();
      const hasEnded = await store.has(ctx, key);
      if (hasEnded) note(key);
      else if (changes.count() === before) rememberRecent(open, key, requested, MAX_SESSIONS);
      return hasEnded;
    },
  };
}
