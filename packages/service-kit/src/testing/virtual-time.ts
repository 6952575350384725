import type { Clock } from '../clock.ts';
import type { Timers } from '../timers.ts';

interface Event {
  readonly atMs: number;
  /** Events at the same time happen in the order in which they were planned. */
  readonly order: number;
  readonly run: () => void;
  /** Whether the event may settle promises. */
  readonly settles: boolean;
}

/** Time that advances from event to event. */
export class VirtualTime implements Clock {
  #nowMs: number;
  #planned = 0;
  /** A binary heap with the next event first. */
  readonly #events: Event[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Schedules an event; `settles`: whether it may settle promises. */
  plan(delayMs: number, run: () => void, settles: boolean): void {
    this.#planned += 1;
    this.#push({ atMs: this.#nowMs + delayMs, order: this.#planned, run, settles });
  }

  /** Resolves at this virtual time. */
  delay(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.plan(delayMs, resolve, true));
  }

  /** Timers of a simulated process, while it is alive. */
  timers(isAlive: () => boolean): Timers {
    return {
      after: (delayMs, run) => {
        let isCancelled = false;
        this.plan(delayMs, () => !isCancelled && isAlive() && run(), true);
        return { cancel: () => void (isCancelled = true) };
      },
    };
  }

  /** Runs all events up to then. */
  async runUntil(endMs: number): Promise<void> {
    for (let next = this.#events[0]; next !== undefined && next.atMs <= endMs; next = this.#events[0]) {
      this.#pop();
      this.#nowMs = next.atMs;
      next.run();
      if (next.settles) await new Promise(setImmediate);
    }
    this.#nowMs = endMs;
  }

  #push(event: Event): void {
    const heap = this.#events;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#events;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(last, child)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
