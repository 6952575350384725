import type { CapturedEvent } from '../domain/event.ts';

/** The state of the stream of captured events. */
export interface StreamState {
  /** Another value means that the stream was lost and made again: it counts from 1. */
  readonly createdAt: string;
  /** Number of the oldest message that it may hold; the ledger has every older one, unless it was lost. */
  readonly firstSequence: number;
  /** Number of the newest message that it has stored. */
  readonly lastSequence: number;
  readonly messages: number;
}

/** The stream from which the service that delivers takes events. */
export interface EventStream {
  /** Publishes events that were just captured, when it can: failures are logged, and the outbox has the events. */
  offer(events: readonly CapturedEvent[]): void;
  /** Resolves when the stream has stored all of these events; rejects if it may not have. */
  publish(events: readonly CapturedEvent[]): Promise<void>;
  /** Rejects while there is no stream. */
  state(): Promise<StreamState>;
}
