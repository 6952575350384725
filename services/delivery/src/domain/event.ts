/** One firing of a trigger, as it was captured. It never changes. */
export interface CapturedEvent {
  /** te_ and 22 characters that sort by the time of capture. */
  readonly id: string;
  readonly accountId: string;
  readonly triggerId: string;
  /** The slug of the trigger type. */
  readonly triggerType: string;
  readonly occurredAt: Date;
  readonly capturedAt: Date;
  /** The exact bytes that are signed and sent, with each attempt. */
  readonly body: Uint8Array;
  readonly payloadTruncated: boolean;
  /** `sha256:` and the hex of the whole payload's hash. */
  readonly payloadHash: string;
  /** The destinations of the trigger when it fired, each once. */
  readonly destinationIds: readonly string[];
  /** The key by which the trigger knows the firing. */
  readonly firingKey: string;
  /** The W3C trace context of its capture, which its attempts belong to. */
  readonly traceparent?: string | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long an event and its deliveries are kept after its capture. */
export const RETENTION_MS = 30 * DAY_MS;

/** Events that were captured earlier do not exist any more at `now`. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_MS);
}

/** A destination that is enabled again delivers by itself what was captured within this time before. */
export const RESUME_WINDOW_MS = DAY_MS;
