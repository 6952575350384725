import { z } from 'zod';
import type { CrmRecord } from '../domain/record-types.ts';

/** The events that the vendor reports to subscribers. */
export const webhookEvents = ['contact.created', 'deal.created', 'deal.updated'] as const;
/** One of webhookEvents. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** A subscription to an event of a workspace. Responses never contain the secret. */
export interface Subscription {
  readonly id: string;
  readonly workspaceId: string;
  readonly event: WebhookEvent;
  readonly url: string;
  /** Signs the deliveries. */
  readonly secret: string;
  readonly createdAt: string;
}

/** A subscription as the API returns it. */
export type SubscriptionView = Omit<Subscription, 'secret' | 'workspaceId'>;

/** Converts a subscription to the form that the API returns, without secret and workspace. */
export function toView({ id, event, url, createdAt }: Subscription): SubscriptionView {
  return { id, event, url, createdAt };
}

/** A change of a record, with the record after the change. */
export interface RecordChange {
  readonly event: WebhookEvent;
  readonly workspaceId: string;
  readonly record: CrmRecord;
}

/** Body of a new subscription; the subscriber chooses the secret. */
export const subscriptionSchema = z.strictObject({
  event: z.enum(webhookEvents),
  url: z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }).max(2048),
  secret: z.string().min(16).max(256),
});
