import type { ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { CapturedEvent } from '../domain/event.ts';

/** The event that a firing has become. */
export interface CaptureResult {
  readonly id: string;
  /** False: the firing was captured before, and this is its event. */
  readonly isNew: boolean;
}

/** Events that were captured together, and are confirmed together. */
export interface PendingGroup {
  readonly id: string;
  readonly eventIds: readonly string[];
}

/** Events that are captured and not yet known to be in the ledger of the service that delivers. */
export interface Outbox {
  /**
   * Stores events durably. The results are in their order; each event succeeds or fails by itself, and one whose trigger has
   * a firing of that key already is not stored. Rejects if nothing is known to be stored.
   */
  insert(events: readonly CapturedEvent[]): Promise<readonly ItemResult<CaptureResult>[]>;
  /**
   * Pages of groups of events that are not confirmed, oldest first, of about a thousand events each: those captured until
   * `until`, and those of more than a minute after `now`, by a replica whose clock was wrong.
   */
  pending(now: Date, until: Date): AsyncIterable<readonly PendingGroup[]>;
  /** The events of these groups that are not confirmed. */
  read(groupIds: readonly string[]): Promise<readonly CapturedEvent[]>;
  /**
   * Notes that the ledger has the events of these groups, and counts each once for its account: bodies are removed, and the keys of
   * the firings are kept for a day.
   */
  confirm(groupIds: readonly string[], now: Date): Promise<void>;
  /** When the oldest events were captured that are not confirmed. */
  oldestPending(): Promise<Date | undefined>;
}
