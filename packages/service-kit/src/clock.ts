/** The time that rules use. Socket deadlines use real time instead. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(start: Date) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Advances the time by `ms` milliseconds. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
