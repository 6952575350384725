/** A replica that is silent for this long is gone: five times the pause between its heartbeats. */
const EXPIRES_AFTER_MS = 2_500;

/** Which other replicas there are, judged by their messages. */
export class Replicas {
  readonly #lastSeenAt = new Map<string, number>();

  /** How many there are, this one included. */
  get known(): number {
    return this.#lastSeenAt.size + 1;
  }

  /** Notes a message of another replica; returns whether the replica is new. */
  seen(replica: string, isLeaving: boolean, now: number): boolean {
    if (isLeaving) {
      this.#lastSeenAt.delete(replica);
      return false;
    }
    const isNew = !this.#lastSeenAt.has(replica);
    this.#lastSeenAt.set(replica, now);
    return isNew;
  }

  /** Drops the silent replicas. While no message can arrive, nobody counts as silent and the number stays what it was. */
  dropSilent(canReceive: boolean, now: number): void {
    for (const [replica, lastSeenAt] of this.#lastSeenAt) {
      if (!canReceive) this.#lastSeenAt.set(replica, now);
      else if (now - lastSeenAt > EXPIRES_AFTER_MS) this.#lastSeenAt.delete(replica);
    }
  }
}
