import { verifyWebhook } from '@fairlead/sdk';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

/** Verifies a request like a receiver; throws if the signature is invalid. */
export type Verifier = (secret: string, headers: Record<string, string>, bytes: Buffer) => unknown;

/** Libraries that receivers may use, by name; each reads headers of the same request. */
export const VERIFIERS: Readonly<Record<string, Verifier>> = {
  stripe: (secret, headers, bytes) =>
    Stripe.webhooks.constructEvent(bytes, headers['fairlead-signature'] ?? '', secret, 300),
  standardwebhooks: (secret, headers, bytes) => new StandardWebhook(secret).verify(bytes, headers),
  svix: (secret, headers, bytes) => new SvixWebhook(secret).verify(bytes, headers),
  'our SDK': (secret, headers, bytes) => verifyWebhook(bytes, headers['fairlead-signature'], secret),
};
