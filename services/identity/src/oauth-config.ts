import { z } from 'zod';

const count = (least: number, most: number) =>
  z.coerce.number<string>('expected a whole number').int().min(least).max(most);

/** The variables of the authorization server; spread into the service's configuration. */
export const oauthConfigShape = {
  /** Days after which a new key signs tokens; the old one stays valid for what it signed. Default 90. */
  OAUTH_KEY_ROTATION_DAYS: count(1, 3650).default(90),
  /** Seconds within which a used refresh token may be used again, for clients with concurrent requests. Default 30. */
  OAUTH_REFRESH_GRACE_SECONDS: count(0, 300).default(30),
  /** Clients that one address may register per hour (dynamic client registration). 0: none. Default 20. */
  OAUTH_REGISTRATIONS_PER_HOUR: count(0, 100_000).default(20),
  /**
   * Maximum number of self-registered clients that were never granted anything; they expire after a day. At the maximum, each registration
   * removes the oldest. 0: none can register. Default 10 000.
   */
  OAUTH_MAX_UNUSED_CLIENTS: count(0, 1_000_000).default(10_000),
};

/** The configuration of the authorization server. */
export type OAuthConfig = z.infer<z.ZodObject<typeof oauthConfigShape>>;
