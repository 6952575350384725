/** The time that rules use. Socket deadlines use real time instead. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is advanced: hours pass in a test without waiting. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(start: Date) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Moves the time on by `ms` milliseconds. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
