import type { RequestContext } from '@fairlead/service-kit/context/context';

/** One event to replay. */
export interface Replay {
  readonly eventId: string;
  /** The only destination to replay it to; undefined: all that it has. */
  readonly destinationId?: string | undefined;
  /** Where it goes if none of its own destinations exists any more. */
  readonly otherwise: readonly string[];
  readonly now: Date;
  /** An event captured earlier does not exist any more. */
  readonly since: Date;
}

/** The outcome of a replay. `tooManyAttempts`: at one of its destinations (MAX_ATTEMPTS). */
export type ReplayOutcome = 'queued' | 'noEvent' | 'noDestination' | 'otherDestination' | 'tooManyAttempts';

/** Many events to replay. */
export interface ReplayBatch {
  readonly eventIds: readonly string[];
  readonly destinationId: string | undefined;
  readonly now: Date;
}

/** Replays; every method is confined to one account. */
export interface Replays {
  /** Queues the attempts of one event, all or none. */
  replay(accountId: string, replay: Replay): Promise<ReplayOutcome>;
  /** Stores many events to be replayed by any replica, once each; false: more than `most` of the account wait already. */
  enqueue(ctx: RequestContext, accountId: string, batch: ReplayBatch, most: number): Promise<boolean>;
}
