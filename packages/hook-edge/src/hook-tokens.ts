import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Timers } from '@fairlead/service-kit/timers';

/** The trigger whose address has a token. */
export interface HookTarget {
  readonly triggerId: string;
  readonly accountId: string;
  /** Whether the trigger accepted no calls at the look-up. */
  readonly isDisabled: boolean;
  /** Whether its calls were slow at the look-up, for example because of a filter. */
  readonly takesTime: boolean;
}

/** Finds triggers by token. */
export interface HookTokens {
  /** The trigger, at most ten minutes old; undefined: unknown token. */
  get(tokenHash: string): Promise<HookTarget | undefined>;
  /**
   * The trigger as it is after the call. Look-ups of one token begin at least 50 ms apart, and all callers in between
   * wait for the next one, so that a flood of calls does not cost a look-up each.
   */
  getPresent(tokenHash: string): Promise<HookTarget | undefined>;
  /** Looks a token up again, because its cached trigger is outdated. */
  forget(tokenHash: string): void;
}

/** Lifetime of a known token. It keeps its trigger forever, and the triggers service refuses outdated calls. */
const KNOWN_MS = 600_000;
/** Lifetime of an unknown token, which will not be issued by chance. */
const UNKNOWN_MS = 10_000;
/** Maximum cached tokens with a trigger, of about half a kilobyte each; MAX_OTHERS: other tokens, and look-ups in progress. */
const MAX_KNOWN = 50_000;
const MAX_OTHERS = 10_000;
const PRESENT_INTERVAL_MS = 50;

interface Entry {
  readonly target: Promise<HookTarget | undefined>;
  readonly askedAt: number;
}

/** The next look-up of a token, if a caller waits for it. */
interface NextLookup {
  target?: Promise<HookTarget | undefined>;
  begin?: () => void;
}

/**
 * Caches triggers by token. `find` looks up other tokens, once for all callers that wait. The least recently called
 * tokens are dropped first, and unknown tokens do not displace known ones.
 */
export function createHookTokens(o: {
  /** By the token's digest. */
  readonly find: (tokenHash: string) => Promise<HookTarget | undefined>;
  readonly clock: Clock;
  readonly timers: Timers;
}): HookTokens {
  const known = new Map<string, Entry>();
  const others = new Map<string, Entry>();
  // Tokens whose last look-up for getPresent began less than the interval ago.
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

  /** Looks a token up now; callers within the interval wait for its end. */
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
