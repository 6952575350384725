/** The delivery state of an event at one destination. */
export type DeliveryState = 'pending' | 'delivered' | 'deadLettered' | 'held';

/** An attempt that is over. */
export interface SettledAttempt {
  /** From 1, without gaps. */
  readonly attempt: number;
  readonly state: 'delivered' | 'failed' | 'deadLettered';
  /** Null: no response came. */
  readonly statusCode: number | null;
  /** A stable short code, such as `timeout` or `http_404`; null if it was delivered. */
  readonly error: string | null;
  readonly durationMs: number;
  /** When the attempt was queued. */
  readonly createdAt: Date;
}

/**
 * Why an attempt is made: it is a step of the retry ladder; a replay has pulled a step forward, which stays to be used;
 * or a replay has reopened a delivery that was over.
 */
export type AttemptCause = 'ladder' | 'pulledForward' | 'replay';

/** Who makes an attempt now. */
export interface DeliveryClaim {
  readonly token: string;
  /** The replica. */
  readonly by: string;
  readonly until: Date;
  /** A claim before it ended without a result. */
  readonly isTakenOver?: boolean;
}

/** The attempt that is queued or under way. */
export interface OpenAttempt {
  readonly destinationId: string;
  /** 0 for the first attempt, 1 for the others: neither kind waits for the other. */
  readonly queue: 0 | 1;
  /** When it may be claimed: the time that it is due, or at which the claim ends. */
  readonly at: Date;
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly cause: AttemptCause;
  readonly claim: DeliveryClaim | null;
  /** Claims that were taken over, and whose request has begun since: without a result so far. */
  readonly lostClaims: number;
  /** When a replay came while a worker had this attempt: one more is due once this one has ended. */
  readonly replayAfter?: Date;
}

/** One event at one destination. */
export interface Delivery {
  readonly accountId: string;
  readonly eventId: string;
  readonly destinationId: string;
  readonly capturedAt: Date;
  readonly state: DeliveryState;
  /** Absent: it is over. */
  readonly open?: OpenAttempt;
  /** Attempts of the retry ladder that have failed: 0 to 6. */
  readonly ladder: number;
  readonly attempts: readonly SettledAttempt[];
  /** The event has no other destination. */
  readonly isOnly: boolean;
}

/** The id of a delivery. */
export function deliveryId(eventId: string, destinationId: string): string {
  return `${eventId}:${destinationId}`;
}
