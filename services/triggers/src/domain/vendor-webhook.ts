import type { Trigger } from './trigger.ts';

/** An address that is to be registered at a trigger's vendor, or was and is to be removed there. */
export interface VendorWebhook {
  /** `whk_…` */
  readonly id: string;
  readonly accountId: string;
  readonly triggerId: string;
  readonly triggerTypeSlug: Trigger['triggerTypeSlug'];
  readonly connectionId: Trigger['connectionId'];
  readonly configuration: Trigger['configuration'];
  /** The vendor's id of the registration; null: none is known. */
  readonly registrationId: string | null;
  /** When the vendor was last asked for a registration. It may be made a while after that. */
  readonly attemptedAt: Date;
  /** Looks in a row that failed. */
  readonly failures: number;
  /** Until when its removal is tried, because its account or connection is being deleted; null: it is not. */
  readonly givenUpAt: Date | null;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a deletion of an account or connection waits for vendors: nobody can call them for it afterwards. */
export const VENDOR_WAITS_MS = 15 * SECOND_MS;
/** A vendor may take a request for this long after it was sent, and may show a registration as late as this. */
const TAKES_EFFECT_MS = 2 * MINUTE_MS;
/** Vendors lose registrations, so they are looked at now and then. */
const LOOK_EVERY_MS = HOUR_MS;
/** About a month of failures. */
const MOST_FAILURES = 700;
const MAX_DOUBLINGS = 12;

/** Whether the trigger, as it is now, wants this registration. */
export function isWanted(
  { id, connectionId }: Pick<VendorWebhook, 'id' | 'connectionId'>,
  trigger: Pick<Trigger, 'isEnabled' | 'webhookId' | 'connectionId'> | undefined,
): boolean {
  return trigger?.isEnabled === true && trigger.webhookId === id && trigger.connectionId === connectionId;
}

/** When a registration that was asked for can be relied on to be listed, or not to come any more. */
export function settledAt({ attemptedAt }: Pick<VendorWebhook, 'attemptedAt'>): Date {
  return new Date(attemptedAt.getTime() + TAKES_EFFECT_MS);
}

/** When a registration that is as it should be is looked at again. */
export function nextLookAt(now: Date): Date {
  return new Date(now.getTime() + LOOK_EVERY_MS);
}

/** When to try again after failures in a row: later and later, up to an hour. Undefined: never. */
export function retryAt(now: Date, failures: number): Date | undefined {
  if (failures > MOST_FAILURES) return undefined;
  const pauseMs = Math.min(SECOND_MS * 2 ** Math.min(failures, MAX_DOUBLINGS), LOOK_EVERY_MS);
  return new Date(now.getTime() + pauseMs);
}

/** The address that a vendor calls; `publicUrl` is that of the gateway. */
export function hookUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/hooks/${token}`;
}
