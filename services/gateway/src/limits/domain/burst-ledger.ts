/** What one replica tells the others: how many calls it let in since the second began, account by account. */
export interface Announcement {
  readonly replica: string;
  /** Seconds since 1970. */
  readonly second: number;
  readonly counts: readonly Count[];
  /** The last word of a replica that stops. */
  readonly isLeaving: boolean;
}

/** Searches are calls too. */
export interface Count {
  readonly accountId: string;
  readonly calls: number;
  readonly searches: number;
}

/** What is known of one account in one second. */
export interface Tally {
  /** Let in by this replica. */
  calls: number;
  searches: number;
  /** Let in by the others, as far as they told. */
  otherCalls: number;
  otherSearches: number;
}

interface Entry extends Tally {
  readonly accountId: string;
  isChanged: boolean;
  heard: Map<string, Count> | undefined;
}

/** Counts of the second of now, own ones and those that the others tell. Earlier seconds are forgotten as a whole. */
export class BurstLedger {
  #second = 0;
  #entries = new Map<string, Entry>();
  /** Of those whose clock is a little ahead. */
  #ahead = new Map<string, Entry>();
  #changed: Entry[] = [];

  /** The tally of an account in the second of now; `count` goes with it. */
  tally(accountId: string, second: number): Tally {
    this.#enter(second);
    return this.#entries.get(accountId) ?? entryIn(this.#entries, accountId);
  }

  /** Counts a call that is let in. */
  count(accountId: string, second: number, isSearch: boolean): void {
    this.#enter(second);
    const entry = this.#entries.get(accountId) ?? entryIn(this.#entries, accountId);
    entry.calls += 1;
    if (isSearch) entry.searches += 1;
    if (entry.isChanged) return;
    entry.isChanged = true;
    this.#changed.push(entry);
  }

  /** Notes what another replica tells. What is late, lost or doubled does no harm: counts only grow. */
  hear({ replica, second, counts }: Announcement, now: number): void {
    this.#enter(now);
    if (second !== now && second !== now + 1) return;
    const entries = second === now ? this.#entries : this.#ahead;
    for (const count of counts) {
      const entry = entries.get(count.accountId) ?? entryIn(entries, count.accountId);
      const before = entry.heard?.get(replica);
      const calls = count.calls - (before?.calls ?? 0);
      const searches = count.searches - (before?.searches ?? 0);
      if (calls < 0 || searches < 0) continue;
      entry.otherCalls += calls;
      entry.otherSearches += searches;
      entry.heard ??= new Map();
      entry.heard.set(replica, count);
    }
  }

  /** Whether something of this second was not taken by `changes`. */
  get hasChanges(): boolean {
    return this.#changed.length > 0;
  }

  /** Takes what has changed since the last time, `most` accounts at most. */
  changes(second: number, most: number): Count[] {
    this.#enter(second);
    return this.#changed.splice(0, most).map((entry) => {
      entry.isChanged = false;
      return { accountId: entry.accountId, calls: entry.calls, searches: entry.searches };
    });
  }

  /** Makes everything of the second of now a change: for those who did not hear of it. */
  repeat(second: number): void {
    this.#enter(second);
    this.#changed = [...this.#entries.values()].filter(({ calls }) => calls > 0);
    for (const entry of this.#changed) entry.isChanged = true;
  }

  #enter(second: number): void {
    if (second === this.#second) return;
    this.#entries = second === this.#second + 1 ? this.#ahead : new Map<string, Entry>();
    this.#ahead = new Map();
    this.#changed = [];
    this.#second = second;
  }
}

function entryIn(entries: Map<string, Entry>, accountId: string): Entry {
  const entry: Entry = {
    accountId,
    calls: 0,
    searches: 0,
    otherCalls: 0,
    otherSearches: 0,
    isChanged: false,
    heard: undefined,
  };
  entries.set(accountId, entry);
  return entry;
}
