import { trackChanges } from '@fairlead/service-kit/cache/change-tracker';
import type { ChangeTrackerOptions, RequestTime } from '@fairlead/service-kit/cache/change-tracker';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Session } from './session-ids.ts';

/** The sessions that clients have ended, known to all replicas. */
export interface EndedSessions {
  /** Ends a session. Idempotent. */
  add(ctx: RequestContext, session: Pick<Session, 'key' | 'expiresAt'>): Promise<void>;
  /** Whether the session with this key was ended. */
  has(ctx: RequestContext, key: string): Promise<boolean>;
}

/** Time for which a look-up in the store stays valid while every end is announced. */
const FRESH_MS = 30_000;
/** Maximum cached sessions, of 100 bytes each; open and ended ones are counted separately. */
const MAX_SESSIONS = 20_000;

/**
 * Ended sessions with a cache. The store is asked about a session once within FRESH_MS, unless announcements of ends
 * may be lost.
 */
export function cacheEndedSessions(
  store: EndedSessions,
  o: Pick<ChangeTrackerOptions, 'clock' | 'subscribe'> & {
    /** Announces an end to all replicas, including this one. Never rejects. */
    readonly announce: (key: string) => Promise<void>;
  },
): EndedSessions {
  const open = new Map<string, RequestTime>();
  const ended = new Map<string, true>();
  const note = (key: string): void => {
    open.delete(key);
    rememberRecent(ended, key, true, MAX_SESSIONS);
  };
  const changes = trackChanges({ ...o, announcedMs: 0 }, FRESH_MS, (key) => key !== undefined && note(key));

  return {
    async add(ctx, session) {
      const { key } = session;
      // Announced before the write, so that no replica relies on its cache meanwhile, and again afterwards for
      // replicas that read the store in between.
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
