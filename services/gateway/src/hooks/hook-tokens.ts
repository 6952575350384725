import type { Clock } from '@fairlead/service-kit/clock';

/** The trigger whose address has a token. */
export interface HookTarget {
  readonly triggerId: string;
  readonly accountId: string;
}

/** A token keeps its trigger for good: what is remembered of a deleted one is refused by the triggers service. */
const KNOWN_MS = 60_000;
/** A token that nobody has will not be given out by chance. */
const UNKNOWN_MS = 10_000;
/** Of each kind: requests with tokens that nobody has drop none that somebody has. */
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly target: Promise<HookTarget | undefined>;
  readonly until: number;
}

/** Remembers which trigger a token has; `find` is asked for others, once for all who wait. */
export function createHookTokens(o: {
  /** By the digest of the token. */
  readonly find: (tokenHash: string) => Promise<HookTarget | undefined>;
  readonly clock: Clock;
}): { get(tokenHash: string): Promise<HookTarget | undefined> } {
  // The entries in the order of their making: the first is the oldest.
  const known = new Map<string, Entry>();
  const others = new Map<string, Entry>();
  const nowMs = (): number => o.clock.now().getTime();

  function keep(entries: Map<string, Entry>, tokenHash: string, entry: Entry): void {
    entries.delete(tokenHash);
    entries.set(tokenHash, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
  }

  /** A failure is not remembered. */
  async function remember(tokenHash: string, entry: Entry): Promise<void> {
    const answer = await entry.target.catch(() => null);
    if (answer === undefined) return;
    if (others.get(tokenHash) === entry) others.delete(tokenHash);
    if (answer !== null) keep(known, tokenHash, { target: entry.target, until: nowMs() + KNOWN_MS });
  }

  return {
    get(tokenHash) {
      const found = known.get(tokenHash) ?? others.get(tokenHash);
      if (found !== undefined && found.until > nowMs()) return found.target;
      known.delete(tokenHash);
      const target = o.find(tokenHash);
      const entry = { target, until: nowMs() + UNKNOWN_MS };
      keep(others, tokenHash, entry);
      void remember(tokenHash, entry);
      return target;
    },
  };
}
