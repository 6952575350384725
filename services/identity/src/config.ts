import { mongoConfigShape, natsConfigShape, serverConfigShape } from '@fairlead/service-kit/config';
import { egressConfigShape } from '@fairlead/egress/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { z } from 'zod';
import { oauthConfigShape } from './oauth-config.ts';
import { upstreamConfigShape } from './upstream-config.ts';

const publicUrl = z
  .url({ protocol: /^https?$/, error: 'expected http://… or https://…' })
  // No path: the metadata (RFC 8414, RFC 9728) and the forms of the pages are at the root of the host.
  .refine((text) => URL.parse(text)?.pathname === '/', 'expected an address without a path');

const databaseConfigShape = {
  ...mongoConfigShape,
  /** The service's database: accounts, users, API keys, OAuth clients, grants, sealed tokens, sessions and signing keys. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_identity'),
};

/** The settings that the identity service reads from its environment. */
export const identityConfig = z.object({
  ...serverConfigShape,
  ...databaseConfigShape,
  ...natsConfigShape,
  ...sealingConfigShape,
  ...egressConfigShape,
  /**
   * Base address of the gateway as clients and browsers see it, without a path; a trailing slash is optional. With https, cookies are
   * `__Host-` cookies. It is the resource of access tokens; their issuer is this address with `/oauth`.
   */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  ...oauthConfigShape,
  ...upstreamConfigShape,
});

/** The identity service's configuration. */
export type IdentityConfig = Readonly<z.infer<typeof identityConfig>>;

/** The settings that the seed command reads from its environment. */
export const seedConfig = z.object({
  ...databaseConfigShape,
  ...natsConfigShape,
  LOG_LEVEL: serverConfigShape.LOG_LEVEL.default('warn'),
});
