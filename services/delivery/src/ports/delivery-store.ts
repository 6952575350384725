import type { Delivery, OpenAttempt } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { AttemptOutcome } from '../domain/outcome.ts';
import type { Transition } from '../domain/transition.ts';

/** A delivery whose open attempt this process alone may make, until its claim ends. */
export interface ClaimedDelivery extends Delivery {
  readonly triggerId: string;
  readonly open: OpenAttempt & { readonly claim: NonNullable<OpenAttempt['claim']> };
}

/** The event, as its attempts send it. */
export interface EventContent extends Pick<CapturedEvent, 'traceparent'> {
  /** Null: it was too large to be read with others. */
  readonly body: Uint8Array | null;
}

/** Open attempts of a destination that are due, of one of its two queues. */
export interface DueQueue {
  readonly destinationId: string;
  readonly queue: OpenAttempt['queue'];
  /** When the first of them was due. */
  readonly at: Date;
}

/** The end of a claimed attempt. */
export interface Settlement {
  readonly claimed: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
  readonly now: Date;
  /** The destination as it was when the attempt began; undefined: it no longer exists. */
  readonly destination: { readonly epoch: number } | undefined;
}

/**
 * The outcome of a settlement. `fenced`: somebody else has the claim by now, and nothing was written. `blocked`: nothing was
 * written, because others are changing the destination or the event; it can be tried again.
 */
export type SettlementResult =
  | { readonly kind: 'fenced' }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'settled'; readonly transition: Transition; readonly isDisabled: boolean };

/** The deliveries of all accounts, as the worker that makes their attempts needs them. */
export interface DeliveryStore {
  /**
   * Stores events and their deliveries, each once however often it is given: what exists stays as it is. If it rejects, some may
   * be stored. `claimFor` says with which claim a first attempt is stored; returns those that were.
   */
  insert(
    events: readonly CapturedEvent[],
    claimFor: (event: CapturedEvent, destinationId: string) => OpenAttempt['claim'],
  ): Promise<readonly ClaimedDelivery[]>;
  /** The ids of which no event is stored with all of its deliveries. */
  findMissing(ids: readonly string[]): Promise<readonly string[]>;
  /** The queues with attempts that are due, but those of disabled destinations; of each, only the first attempt is read. */
  dueQueues(now: Date): Promise<readonly DueQueue[]>;
  /** Claims due attempts of a queue, the longest overdue first, for `by` until `until`. */
  claim(
    queue: Pick<DueQueue, 'destinationId' | 'queue'>,
    o: { readonly now: Date; readonly until: Date; readonly by: string; readonly limit: number },
  ): Promise<readonly ClaimedDelivery[]>;
  /** The bytes and traces of events, by id; those that are gone are left out. A body of more than `maxBodyBytes` is null. */
  findContents(eventIds: readonly string[], maxBodyBytes: number): Promise<ReadonlyMap<string, EventContent>>;
  /**
   * Ends attempts, in order of the settlements. One that was replayed meanwhile ends as the replay asks. Distinct events in
   * a row that are dead-lettered disable their destination, exactly once; a delivered one ends the row. Replays of what was
   * over, and attempts that began before the destination was enabled, count for neither.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly SettlementResult[]>;
  /** Prolongs a claim until `until`; false, with nothing written, if somebody else has it by now. */
  renew(claimed: ClaimedDelivery, until: Date): Promise<boolean>;
  /** Counts that the request of an attempt begins that was taken over; false: somebody else has the claim by now. */
  noteBegin(claimed: ClaimedDelivery): Promise<boolean>;
  /**
   * Holds a delivery that is too old to be made by itself: it ends without an attempt. False: it has not, because of a replay that came
   * meanwhile, or because somebody else has the claim by now.
   */
  hold(claimed: ClaimedDelivery): Promise<boolean>;
  /** Gives claims up whose attempts did not begin: they are due as before. */
  release(claimed: readonly ClaimedDelivery[]): Promise<void>;
  /** Removes a claimed delivery whose event no longer exists. */
  remove(claimed: ClaimedDelivery): Promise<void>;
}
