import type { RequestContext } from '@fairlead/service-kit/context/context';

/** One event to replay. */
export interface Replay {
  readonly eventId: string;
  /** The only destination to replay to; undefined: all of the event's. */
  readonly destinationId?: string | undefined;
  /** Used if none of the event's destinations exists any more. */
  readonly otherwise: readonly string[];
  readonly now: Date;
  /** Events captured before this time count as deleted. */
  readonly since: Date;
}

/** The outcome of a replay. `tooManyAttempts`: one of its deliveries has MAX_ATTEMPTS. */
export type ReplayOutcome = 'queued' | 'noEvent' | 'noDestination' | 'otherDestination' | 'tooManyAttempts';

/** A bulk replay. */
export interface ReplayBatch {
  readonly eventIds: readonly string[];
  readonly destinationId: string | undefined;
  readonly now: Date;
}

/** Queues replays; every method is limited to one account. */
export interface Replays {
  /** Queues the attempts of one event, all or none. */
  replay(accountId: string, replay: Replay): Promise<ReplayOutcome>;
  /** Stores events to be replayed by any replica, once each; false: more than `most` of the account's are already waiting. */
  enqueue(ctx: RequestContext, accountId: string, batch: ReplayBatch, most: number): Promise<boolean>;
}
