/** A replica that is not heard for so long is gone. Five times as long as the pause between its heartbeats. */
const FORGOTTEN_MS = 2_500;

/** Which other replicas there are, by what is heard of them. */
export class Replicas {
  readonly #heardAt = new Map<string, number>();

  /** How many there are, this one included. */
  get known(): number {
    return this.#heardAt.size + 1;
  }

  /** Notes a word of another one; answers whether it is new. */
  hear(replica: string, isLeaving: boolean, now: number): boolean {
    if (isLeaving) {
      this.#heardAt.delete(replica);
      return false;
    }
    const isNew = !this.#heardAt.has(replica);
    this.#heardAt.set(replica, now);
    return isNew;
  }

  /** Forgets the silent ones. While nothing can be heard nobody is silent: then the number stays what it was. */
  forgetSilent(isHearing: boolean, now: number): void {
    for (const [replica, heardAt] of this.#heardAt) {
      if (!isHearing) this.#heardAt.set(replica, now);
      else if (now - heardAt > FORGOTTEN_MS) this.#heardAt.delete(replica);
    }
  }
}
