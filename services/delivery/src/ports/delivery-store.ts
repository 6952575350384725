import type { Delivery, OpenAttempt } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { AttemptOutcome } from '../domain/outcome.ts';
import type { Transition } from '../domain/transition.ts';

/** A delivery with an open attempt that only this process may make, until its claim ends. */
export interface ClaimedDelivery extends Delivery {
  readonly triggerId: string;
  readonly open: OpenAttempt & { readonly claim: NonNullable<OpenAttempt['claim']> };
}

/** The event, as its attempts send it. */
export interface EventContent extends Pick<CapturedEvent, 'traceparent'> {
  /** Null: too large to be read with others. */
  readonly body: Uint8Array | null;
}

/** A queue with due attempts: one of the two of a destination. */
export interface DueQueue {
  readonly destinationId: string;
  readonly queue: OpenAttempt['queue'];
  /** Due time of its first attempt. */
  readonly at: Date;
}

/** The result of a claimed attempt. */
export interface Settlement {
  readonly claimed: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
  readonly now: Date;
  /** The destination at the start of the attempt; undefined: it no longer existed. */
  readonly destination: { readonly epoch: number } | undefined;
}

/**
 * The outcome of a settlement. `fenced`: another process has the claim, and nothing was written. `blocked`: nothing was written because of
 * concurrent changes of the destination or the event; it can be retried.
 */
export type SettlementResult =
  | { readonly kind: 'fenced' }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'settled'; readonly transition: Transition; readonly isDisabled: boolean };

/** Stores deliveries of all accounts, for the workers that make their attempts. */
export interface DeliveryStore {
  /**
   * Stores events and their deliveries, idempotently. If it rejects, some may be stored. `claimFor` gives the claim with which a first
   * attempt is stored; returns the deliveries stored with a claim.
   */
  insert(
    events: readonly CapturedEvent[],
    claimFor: (event: CapturedEvent, destinationId: string) => OpenAttempt['claim'],
  ): Promise<readonly ClaimedDelivery[]>;
  /** Ids whose event or any delivery is not stored. */
  findMissing(ids: readonly string[]): Promise<readonly string[]>;
  /** The queues with due attempts, except those of disabled destinations; only the first attempt of each is read. */
  dueQueues(now: Date): Promise<readonly DueQueue[]>;
  /** Claims due attempts of a queue, most overdue first, for `by` until `until`. */
  claim(
    queue: Pick<DueQueue, 'destinationId' | 'queue'>,
    o: { readonly now: Date; readonly until: Date; readonly by: string; readonly limit: number },
  ): Promise<readonly ClaimedDelivery[]>;
  /** Bytes and traces of events, by id; deleted events are missing. A body larger than `maxBodyBytes` is null. */
  findContents(eventIds: readonly string[], maxBodyBytes: number): Promise<ReadonlyMap<string, EventContent>>;
  /**
   * Ends attempts, in order. An attempt that was replayed meanwhile is followed by another. A destination is disabled, exactly once, when
   * the maximum number of distinct events in a row was dead-lettered; a delivered event resets the count. Replays of finished deliveries,
   * and attempts that began before the destination was enabled, do not count.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly SettlementResult[]>;
  /** Extends a claim until `until`; false, with nothing written, if another process has it now. */
  renew(claimed: ClaimedDelivery, until: Date): Promise<boolean>;
  /** Records that this process, which took over an attempt, begins its request. False: another process has the claim now. */
  noteBegin(claimed: ClaimedDelivery): Promise<boolean>;
  /**
   * Ends a delivery that is too old for an automatic attempt. False: it was not ended, because a replay was requested or another process
   * has the claim.
   */
  hold(claimed: ClaimedDelivery): Promise<boolean>;
  /** Releases claims of attempts that did not begin: they are due as before. */
  release(claimed: readonly ClaimedDelivery[]): Promise<void>;
  /** Removes a claimed delivery whose event no longer exists. */
  remove(claimed: ClaimedDelivery): Promise<void>;
}
