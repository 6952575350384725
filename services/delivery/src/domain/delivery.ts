/** The delivery state of an event at one destination. */
export type DeliveryState = 'pending' | 'delivered' | 'deadLettered' | 'held';

/** A finished attempt. */
export interface SettledAttempt {
  /** From 1, without gaps. */
  readonly attempt: number;
  readonly state: 'delivered' | 'failed' | 'deadLettered';
  /** Null: no response. */
  readonly statusCode: number | null;
  /** A stable short code, such as `timeout` or `http_404`; null if delivered. */
  readonly error: string | null;
  readonly durationMs: number;
  /** When the attempt was queued. */
  readonly createdAt: Date;
}

/**
 * Why the attempt is made. `ladder`: a step of the retry ladder. `pulledForward`: a replay brought forward a step, which can still be used.
 * `replay`: a replay reopened a finished delivery.
 */
export type AttemptCause = 'ladder' | 'pulledForward' | 'replay';

/** The process that makes the attempt. */
export interface DeliveryClaim {
  readonly token: string;
  /** The replica. */
  readonly by: string;
  readonly until: Date;
  /** An earlier claim that expired without a result. */
  readonly isTakenOver?: boolean;
}

/** The attempt that is queued or in progress. */
export interface OpenAttempt {
  readonly destinationId: string;
  /** 0 for first attempts, 1 for others; neither queue waits for the other. */
  readonly queue: 0 | 1;
  /** When it may be claimed: its due time, or the end of the current claim. */
  readonly at: Date;
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly cause: AttemptCause;
  readonly claim: DeliveryClaim | null;
  /** Number of requests begun after the attempt was taken over, all without a result so far. */
  readonly lostClaims: number;
  /** When a replay was requested during this attempt: another attempt follows. */
  readonly replayAfter?: Date;
}

/** The delivery of an event to one destination. */
export interface Delivery {
  readonly accountId: string;
  readonly eventId: string;
  readonly destinationId: string;
  readonly capturedAt: Date;
  readonly state: DeliveryState;
  /** Absent: the delivery has ended. */
  readonly open?: OpenAttempt;
  /** Number of failed attempts of the retry ladder: 0 to 6. */
  readonly ladder: number;
  readonly attempts: readonly SettledAttempt[];
  /** Whether the event has no other destination. */
  readonly isOnly: boolean;
}

export function deliveryId(eventId: string, destinationId: string): string {
  return `${eventId}:${destinationId}`;
}
