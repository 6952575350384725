import type { ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { CapturedEvent } from '../domain/event.ts';

/** The event created from a firing. */
export interface CaptureResult {
  readonly id: string;
  /** False: the firing was captured before; this is its event. */
  readonly isNew: boolean;
}

/** Events that were captured together; they are confirmed together. */
export interface PendingGroup {
  readonly id: string;
  readonly eventIds: readonly string[];
}

/** Stores captured events until the ledger is known to have them. */
export interface Outbox {
  /**
   * Stores events durably. Results are in order; each event succeeds or fails individually, and one whose trigger already has a firing with
   * that key is not stored. Rejects if nothing is known to be stored.
   */
  insert(events: readonly CapturedEvent[]): Promise<readonly ItemResult<CaptureResult>[]>;
  /**
   * Pages of unconfirmed groups, oldest first, about a thousand events each: groups captured until `until`, and groups more than a minute
   * after `now`, from a replica whose clock was wrong.
   */
  pending(now: Date, until: Date): AsyncIterable<readonly PendingGroup[]>;
  /** The unconfirmed events of these groups. */
  read(groupIds: readonly string[]): Promise<readonly CapturedEvent[]>;
  /** Marks groups as confirmed, and counts their events once: bodies are removed, and the keys of the firings are kept for a day. */
  confirm(groupIds: readonly string[], now: Date): Promise<void>;
  /** When the oldest unconfirmed events were captured. */
  oldestPending(): Promise<Date | undefined>;
}
