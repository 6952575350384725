import { z } from 'zod';
import type { Administration } from './administration.ts';

/** An action of the admin API and the admin page, with a JSON body or a form's fields. */
export interface AdminAction {
  /** Last segment of the action's path. */
  readonly name: string;
  /** Checks the body and runs the action; returns a text about the result. */
  readonly run: (administration: Administration, read: <T>(schema: z.ZodType<T>) => T) => object;
}

const HOUR_MS = 3_600_000;

/** All actions, in the order of the admin page. */
export const adminActions: readonly AdminAction[] = [
  {
    name: 'revoke-grants',
    run: (administration, read) => {
      const { email } = read(z.strictObject({ email: z.string().optional() }));
      return { revoked: administration.revokeGrants(email) };
    },
  },
  { name: 'expire-tokens', run: (administration) => ({ expired: administration.expireAccessTokens() }) },
  {
    name: 'down',
    run: (administration, read) => {
      const { forMs } = read(z.strictObject({ forMs: z.int().min(1).max(HOUR_MS).optional() }));
      administration.conditions.takeDown(forMs);
      return administration.conditions.view();
    },
  },
  {
    name: 'up',
    run: (administration) => {
      administration.conditions.bringUp();
      return administration.conditions.view();
    },
  },
  {
    name: 'delay',
    run: (administration, read) => {
      const { delayMs } = read(z.strictObject({ delayMs: z.int().min(0).max(60_000).default(0) }));
      administration.conditions.setDelay(delayMs);
      return administration.conditions.view();
    },
  },
  {
    name: 'rate-limit',
    run: (administration, read) => {
      const limit = z.int().min(1).max(100_000).nullable().default(null);
      const { requestsPerSecond } = read(z.strictObject({ requestsPerSecond: limit }));
      administration.conditions.setRateLimit(requestsPerSecond);
      return administration.conditions.view();
    },
  },
  {
    name: 'remove-webhooks',
    run: (administration, read) => {
      const { url } = read(z.strictObject({ url: z.string().optional() }));
      return { removed: administration.removeWebhooks(url) };
    },
  },
  {
    name: 'resend-webhook',
    run: (administration, read) => {
      const { deliveryId } = read(z.strictObject({ deliveryId: z.string().min(1) }));
      administration.resendWebhook(deliveryId);
      return { deliveryId };
    },
  },
  {
    name: 'reset',
    run: (administration) => {
      administration.reset();
      return administration.state();
    },
  },
];
