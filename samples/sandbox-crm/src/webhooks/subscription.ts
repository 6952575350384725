import { z } from 'zod';
import type { CrmRecord } from '../domain/record-types.ts';

/** The events that the vendor reports to subscribers. */
export const webhookEvents = ['contact.created', 'deal.created', 'deal.updated'] as const;
/** One of webhookEvents. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Who is told of an event of a workspace. Secrets are never shown. */
export interface Subscription {
  readonly id: string;
  readonly workspaceId: string;
  readonly event: WebhookEvent;
  readonly url: string;
  /** Key of the signatures of its deliveries. */
  readonly secret: string;
  readonly createdAt: string;
}

/** A subscription as the API returns it. */
export type SubscriptionView = Omit<Subscription, 'secret' | 'workspaceId'>;

/** The subscription without what only the vendor knows. */
export function toView({ id, event, url, createdAt }: Subscription): SubscriptionView {
  return { id, event, url, createdAt };
}

/** Something that happened to a record, and the record after it. */
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
