import { createHmac, createSecretKey } from 'node:crypto';
import type { Secret } from '@fairlead/service-kit/secret';
import { signingKey } from './signing-secret.ts';

export interface SignedDelivery {
  readonly secret: Secret;
  /** The event's id, equal in every attempt and without a `.`. */
  readonly eventId: string;
  /** Time of this attempt. Receivers refuse signatures that are older than their tolerance, so each attempt is signed anew. */
  readonly sentAt: Date;
  /** The exact bytes that are sent. */
  readonly body: Uint8Array;
}

/** The headers that prove to a receiver who sent a delivery, and that body and time are unchanged. */
export interface SignatureHeaders {
  readonly 'fairlead-signature': string;
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs one delivery in two families of headers, with one secret:
 *
 * - `fairlead-signature: t=<unix seconds>,v1=<hex HMAC-SHA256>` over `<t>.<body>`, keyed with the text of the secret,
 *   as Stripe signs: verifyWebhook of the SDKs reads it;
 * - `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64 HMAC-SHA256>` over `<id>.<timestamp>.<body>`,
 *   keyed with the decoded bytes of the secret (Standard Webhooks 1.0).
 */
export function signatureHeaders({ secret, eventId, sentAt, body }: SignedDelivery): SignatureHeaders {
  const seconds = String(Math.floor(sentAt.getTime() / 1000));
  const ours = createHmac('sha256', secret.reveal()).update(`${seconds}.`).update(body).digest('hex');
  // A key object, because Node creates one for each signature if it gets bytes, at three times the cost.
  const standard = createHmac('sha256', createSecretKey(signingKey(secret)))
    .update(`${eventId}.${seconds}.`)
    .update(body)
    .digest('base64');
  return {
    'fairlead-signature': `t=${seconds},v1=${ours}`,
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${standard}`,
  };
}
