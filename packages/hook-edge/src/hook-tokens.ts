import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Timers } from '@fairlead/service-kit/timers';

/** The trigger whose address has a token. */
export interface HookTarget {
  readonly triggerId: string;
  readonly accountId: string;
  /** The trigger took no calls when it was looked up. */
  readonly isDisabled: boolean;
  /** Its calls took time when it was looked up: they waited for a filter, say. */
  readonly takesTime: boolean;
}

/** Which trigger each token has. */
export interface HookTokens {
  /** The trigger as it was at most ten minutes ago; undefined: nobody has the token. */
  get(tokenHash: string): Promise<HookTarget | undefined>;
  /**
   * The trigger as it is after the call. Lookups of one token begin 50 ms apart, and all who ask in between wait for the next one: a flood
   * of such calls does not cost a lookup each.
   */
  getPresent(tokenHash: string): Promise<HookTarget | undefined>;
  /** Has a token looked up again, because what is cached of its trigger has turned out to be outdated. */
  forget(tokenHash: string): void;
}

/** A token keeps its trigger for good, and the triggers service refuses what is outdated otherwise. */
const KNOWN_MS = 600_000;
/** A token that nobody has will not be given out by chance. */
const UNKNOWN_MS = 10_000;
/** Most cached tokens that a trigger has, about half a kilobyte each; MAX_OTHERS: other tokens, and lookups in progress. */
const MAX_KNOWN = 50_000;
const MAX_OTHERS = 10_000;
const PRESENT_INTERVAL_MS = 50;

interface Entry {
  readonly target: Promise<HookTarget | undefined>;
  readonly askedAt: number;
}

/** The lookup of a token that has to wait, if anybody has asked for one. */
interface NextLookup {
  target?: Promise<HookTarget | undefined>;
  begin?: () => void;
}

/**
 * Caches which trigger a token has; `find` is asked for others, once for all who wait. The tokens that were called least recently
 * are dropped first, and requests with tokens that nobody has drop none that somebody has.
 */
export function createHookTokens(o: {
  /** By the digest of the token. */
  readonly find: (tokenHash: string) => Promise<HookTarget | undefined>;
  readonly clock: Clock;
  readonly timers: Timers;
}): HookTokens {
  const known = new Map<string, Entry>();
  const others = new Map<string, Entry>();
  // Of the tokens whose last lookup for getPresent began less than the interval ago.
  const nextLookups = new Map<string, NextLookup>();
  const nowMs = (): number => o.clock.now().getTime();

  /** Looks a token up. A failure is not cached. */
  function lookUp(tokenHash: string, askedAt: number): Promise<HookTarget | undefined> {
    const end = (): void => {
      if (others.get(tokenHash) === entry) others.delete(tokenHash);
    };
    const target = o.find(tokenHash).then(
      (answer) => {
        known.delete(tokenHash);
        if (answer === undefined) return undefined;
        end();
        rememberRecent(known, tokenHash, entry, MAX_KNOWN);
        return answer;
      },
      (error: unknown) => {
        end();
        throw error;
      },
    );
    const entry: Entry = { target, askedAt };
    rememberRecent(others, tokenHash, entry, MAX_OTHERS);
    return target;
  }

  /** Looks a token up now; those who ask within the interval wait for its end. */
  function lookUpPresent(tokenHash: string): Promise<HookTarget | undefined> {
    const next: NextLookup = {};
    nextLookups.set(tokenHash, next);
    o.timers.after(PRESENT_INTERVAL_MS, () => {
      nextLookups.delete(tokenHash);
      next.begin?.();
    });
    return lookUp(tokenHash, nowMs());
  }

  return {
    get(tokenHash) {
      const now = nowMs();
      const found = known.get(tokenHash);
      if (found !== undefined && now - found.askedAt < KNOWN_MS) {
        rememberRecent(known, tokenHash, found, MAX_KNOWN);
        return found.target;
      }
      const other = others.get(tokenHash);
      if (other !== undefined && now - other.askedAt < UNKNOWN_MS) return other.target;
      return lookUp(tokenHash, now);
    },
    getPresent(tokenHash) {
      const next = nextLookups.get(tokenHash);
      if (next === undefined) return lookUpPresent(tokenHash);
      next.target ??= new Promise((resolve) => {
        next.begin = () => resolve(lookUpPresent(tokenHash));
      });
      return next.target;
    },
    forget(tokenHash) {
      known.delete(tokenHash);
      others.delete(tokenHash);
    },
  };
}
