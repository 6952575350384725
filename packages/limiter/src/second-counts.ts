/** The update that one replica publishes: how many calls of each key it has admitted since the second began. */
export interface CountUpdate {
  readonly replica: string;
  /** Seconds since 1970. */
  readonly second: number;
  readonly counts: readonly KeyCounts[];
  /** The last message of a replica that stops. */
  readonly isLeaving: boolean;
}

/** The totals of one key. */
export interface KeyCounts {
  readonly key: string;
  /** Admitted calls by the name of the limit. */
  readonly calls: Readonly<Record<string, number>>;
}

interface Entry {
  readonly key: string;
  /** Admitted by this replica. */
  readonly own: Record<string, number>;
  /** Admitted by the other replicas, as far as they have published. */
  readonly others: Record<string, number>;
  isChanged: boolean;
  received: Map<string, KeyCounts> | undefined;
}

/** Counts of the current second: this replica's own counts and those of the others. Earlier seconds are dropped as a whole. */
export class SecondCounts {
  #second = 0;
  #entries = new Map<string, Entry>();
  /** Counts from replicas whose clock is a little ahead. */
  #ahead = new Map<string, Entry>();
  #changed: Entry[] = [];

  /** Calls that this replica has admitted in this second. */
  own(key: string, name: string, second: number): number {
    this.#enter(second);
    return this.#entries.get(key)?.own[name] ?? 0;
  }

  /** Calls that the other replicas have admitted in this second, as far as they have published. */
  others(key: string, name: string, second: number): number {
    this.#enter(second);
    return this.#entries.get(key)?.others[name] ?? 0;
  }

  /** Counts an admitted call under each of these names. */
  count(key: string, names: readonly string[], second: number): void {
    this.#enter(second);
    const entry = entryIn(this.#entries, key);
    for (const name of names) entry.own[name] = (entry.own[name] ?? 0) + 1;
    if (entry.isChanged) return;
    entry.isChanged = true;
    this.#changed.push(entry);
  }

  /** Merges the update of another replica. Totals only grow, so a late, lost or repeated update does no harm. */
  receive({ replica, second, counts }: CountUpdate, now: number): void {
    this.#enter(now);
    if (second !== now && second !== now + 1) return;
    const entries = second === now ? this.#entries : this.#ahead;
    for (const update of counts) {
      const entry = entryIn(entries, update.key);
      const before = entry.received?.get(replica)?.calls ?? {};
      const calls = Object.entries(update.calls);
      if (calls.some(([name, total]) => total < (before[name] ?? 0))) continue;
      for (const [name, total] of calls)
        entry.others[name] = (entry.others[name] ?? 0) + total - (before[name] ?? 0);
      entry.received ??= new Map();
      entry.received.set(replica, update);
    }
  }

  /** Whether `changes` has not yet returned everything of this second. */
  get hasChanges(): boolean {
    return this.#changed.length > 0;
  }

  /** Returns the counts that changed since the last call, of at most `most` keys. */
  changes(second: number, most: number): KeyCounts[] {
    this.#enter(second);
    return this.#changed.splice(0, most).map((entry) => {
      entry.isChanged = false;
      return { key: entry.key, calls: { ...entry.own } };
    });
  }

  /** Marks every own count of this second as changed again, for replicas that missed it. */
  repeat(second: number): void {
    this.#enter(second);
    this.#changed = [...this.#entries.values()].filter(({ own }) => Object.keys(own).length > 0);
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

function entryIn(entries: Map<string, Entry>, key: string): Entry {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const entry: Entry = { key, own: {}, others: {}, isChanged: false, received: undefined };
  entries.set(key, entry);
  return entry;
}
