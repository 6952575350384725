import type { Trigger } from './trigger.ts';

/** An address that is registered at a trigger's vendor, or is to be registered or removed there. */
export interface VendorWebhook {
  /** `whk_…` */
  readonly id: string;
  readonly accountId: string;
  readonly triggerId: string;
  readonly triggerTypeSlug: Trigger['triggerTypeSlug'];
  readonly connectionId: Trigger['connectionId'];
  readonly configuration: Trigger['configuration'];
  /** The vendor's id of the registration; null: unknown. */
  readonly registrationId: string | null;
  /** When the vendor was last asked to register. The registration may appear later. */
  readonly attemptedAt: Date;
  /** Number of consecutive failed checks. */
  readonly failures: number;
  /** Deadline of the removal, if the account or connection is being deleted; otherwise null. */
  readonly givenUpAt: Date | null;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long deleting an account or connection waits for vendors; afterwards nobody can call them for it. */
export const VENDOR_WAITS_MS = 15 * SECOND_MS;
/** Longest time between a request and the appearance of its registration at the vendor. */
const TAKES_EFFECT_MS = 2 * MINUTE_MS;
/** Interval of checks, because vendors lose registrations. */
const LOOK_EVERY_MS = HOUR_MS;
/** Maximum number of failures: about a month. */
const MOST_FAILURES = 700;
const MAX_DOUBLINGS = 12;

/** Whether the trigger, in its current state, needs this registration. */
export function isWanted(
  { id, connectionId }: Pick<VendorWebhook, 'id' | 'connectionId'>,
  trigger: Pick<Trigger, 'isEnabled' | 'webhookId' | 'connectionId'> | undefined,
): boolean {
  return trigger?.isEnabled === true && trigger.webhookId === id && trigger.connectionId === connectionId;
}

/** When a requested registration will certainly be listed, or certainly not appear any more. */
export function settledAt({ attemptedAt }: Pick<VendorWebhook, 'attemptedAt'>): Date {
  return new Date(attemptedAt.getTime() + TAKES_EFFECT_MS);
}

/** When a correct registration is checked again. */
export function nextLookAt(now: Date): Date {
  return new Date(now.getTime() + LOOK_EVERY_MS);
}

/** When to retry after consecutive failures: increasing pauses, up to an hour. Undefined: never. */
export function retryAt(now: Date, failures: number): Date | undefined {
  if (failures > MOST_FAILURES) return undefined;
  const pauseMs = Math.min(SECOND_MS * 2 ** Math.min(failures, MAX_DOUBLINGS), LOOK_EVERY_MS);
  return new Date(now.getTime() + pauseMs);
}

/** The address that a vendor calls; `publicUrl` is the gateway's. */
export function hookUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/hooks/${token}`;
}
