/** A replica that is silent for this long is dropped: five times the interval of its heartbeats. */
const EXPIRES_AFTER_MS = 2_500;

/** The other replicas, known by their messages. */
export class Replicas {
  readonly #lastSeenAt = new Map<string, number>();

  /** The number of replicas, including this one. */
  get known(): number {
    return this.#lastSeenAt.size + 1;
  }

  /** Records a message of another replica; returns whether the replica is new. */
  seen(replica: string, isLeaving: boolean, now: number): boolean {
    if (isLeaving) {
      this.#lastSeenAt.delete(replica);
      return false;
    }
    const isNew = !this.#lastSeenAt.has(replica);
    this.#lastSeenAt.set(replica, now);
    return isNew;
  }

  /** Drops the silent replicas. While no message can arrive, no replica counts as silent and the number stays fixed. */
  dropSilent(canReceive: boolean, now: number): void {
    for (const [replica, lastSeenAt] of this.#lastSeenAt) {
      if (!canReceive) this.#lastSeenAt.set(replica, now);
      else if (now - lastSeenAt > EXPIRES_AFTER_MS) this.#lastSeenAt.delete(replica);
    }
  }
}
