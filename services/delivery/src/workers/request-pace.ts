import type { Clock } from '@fairlead/service-kit/clock';
import type { Timers } from '@fairlead/service-kit/timers';

const SECOND_MS = 1_000;

/** Limits the requests per second that a process begins for each destination. */
export class RequestPace {
  readonly #o: ConstructorParameters<typeof RequestPace>[0];
  #second = 0;
  /** Requests begun in this second, by destination. */
  readonly #begun = new Map<string, number>();
  readonly #waiting = new Set<string>();
  #isWaiting = false;

  /** `onNext` is called for each refused destination when the next second begins. */
  constructor(o: {
    readonly perSecond: number;
    readonly clock: Clock;
    readonly timers: Timers;
    readonly onNext: (destinationId: string) => void;
  }) {
    this.#o = o;
  }

  /** Whether a request to the destination may begin now; counts it if so. */
  take(destinationId: string): boolean {
    const nowMs = this.#o.clock.now().getTime();
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#begun.clear();
    }
    const count = this.#begun.get(destinationId) ?? 0;
    if (count < this.#o.perSecond) {
      this.#begun.set(destinationId, count + 1);
      return true;
    }
    this.#waiting.add(destinationId);
    this.#awaitNext(SECOND_MS - (nowMs % SECOND_MS));
    return false;
  }

  #awaitNext(delayMs: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#o.timers.after(delayMs, () => {
      this.#isWaiting = false;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const destinationId of waiting) this.#o.onNext(destinationId);
    });
  }
}
