import type { Clock } from '@fairlead/service-kit/clock';

/** Number of exceeded limits within BANNED_MS after which a program is not used for BANNED_MS. */
const MAX_EXCESSES = 2;
/** The ban ends, because on a slow machine an honest program exceeds a limit, too. */
const BANNED_MS = 3_600_000;
/** Time after which a program that took too long to compile is tried again, because the machine may have been slow. */
const RECOMPILE_AFTER_MS = 60_000;

interface Entry {
  excesses: number;
  lastExcessAt: number;
  unusableUntil: number;
}

/** The history of programs in the workers of a service, for the `maxEntries` most recently used ones. */
export class ProgramRecord {
  // In the order of use: the first entry is the least recently used one.
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #maxEntries: number;

  constructor(o: { readonly clock: Clock; readonly maxEntries: number }) {
    this.#clock = o.clock;
    this.#maxEntries = o.maxEntries;
  }

  /** Whether the program is known, so that a worker of its account may have compiled it. */
  isKnown(id: string): boolean {
    return this.#entries.has(id);
  }

  isUsable(id: string): boolean {
    return this.#clock.now().getTime() >= (this.#entries.get(id)?.unusableUntil ?? 0);
  }

  /** Notes that the program is used. */
  touch(id: string): Entry {
    const entry = this.#entries.get(id) ?? { excesses: 0, lastExcessAt: 0, unusableUntil: 0 };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  /** Notes that the program does not compile. */
  refuse(id: string): void {
    this.touch(id).unusableUntil = Infinity;
  }

  /** Notes that compiling the program passed a limit: it is unusable for a minute. */
  postpone(id: string): void {
    this.touch(id).unusableUntil = this.#clock.now().getTime() + RECOMPILE_AFTER_MS;
  }

  /** Records that a run exceeded a limit. Returns whether the program is now banned for an hour. */
  exceed(id: string): boolean {
    const entry = this.touch(id);
    const now = this.#clock.now().getTime();
    entry.excesses = now - entry.lastExcessAt < BANNED_MS ? entry.excesses + 1 : 1;
    entry.lastExcessAt = now;
    if (entry.excesses < MAX_EXCESSES) return false;
    entry.unusableUntil = now + BANNED_MS;
    return true;
  }
}
