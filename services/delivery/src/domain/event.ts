/** A captured firing. It never changes. */
export interface CapturedEvent {
  /** te_ and 22 characters that sort by time of capture. */
  readonly id: string;
  readonly accountId: string;
  readonly triggerId: string;
  /** The slug of the trigger type. */
  readonly triggerType: string;
  readonly occurredAt: Date;
  readonly capturedAt: Date;
  /** The exact bytes that are signed and sent in every attempt. */
  readonly body: Uint8Array;
  readonly payloadTruncated: boolean;
  /** `sha256:` and the hexadecimal digest of the complete payload. */
  readonly payloadHash: string;
  /** The trigger's destinations at the time of the firing, without duplicates. */
  readonly destinationIds: readonly string[];
  /** Key of the firing within its trigger. */
  readonly firingKey: string;
  /** W3C trace context of its capture; its attempts belong to this trace. */
  readonly traceparent?: string | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Retention of an event and its deliveries, from its capture. */
export const RETENTION_MS = 30 * DAY_MS;

/** Events captured before this time count as deleted at `now`. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_MS);
}

/** After a destination is enabled, events captured within this period are delivered automatically. */
export const RESUME_WINDOW_MS = DAY_MS;
