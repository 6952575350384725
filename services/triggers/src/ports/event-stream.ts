import type { CapturedEvent } from '../domain/event.ts';

/** The state of the stream of captured events. */
export interface StreamState {
  /** Changes if the stream was lost and recreated: it then counts from 1. */
  readonly createdAt: string;
  /** Number of the oldest message that it may still have; the ledger has all older ones, unless they were lost. */
  readonly firstSequence: number;
  /** Number of the newest stored message. */
  readonly lastSequence: number;
  readonly messages: number;
}

/** The stream from which the delivery service takes events. */
export interface EventStream {
  /** Publishes just captured events if possible: failures are only logged, because the outbox has the events. */
  offer(events: readonly CapturedEvent[]): void;
  /** Resolves once the stream has stored all of these events; rejects if it may not have. */
  publish(events: readonly CapturedEvent[]): Promise<void>;
  /** Rejects while there is no stream. */
  state(): Promise<StreamState>;
}
