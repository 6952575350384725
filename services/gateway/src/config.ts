import {
  addressesVariable,
  drainConfigShape,
  egressConfigShape,
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  sealingConfigShape,
  secretVariable,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { AddressVariable } from '@fairlead/service-list/services';
import { z } from 'zod';
import { oauthConfigShape } from 'CROSS:services/identity/src/oauth/config-shape.ts';
import { upstreamConfigShape } from 'CROSS:services/identity/src/pages/upstream-config.ts';

const publicUrl = z
  .url({ protocol: /^https?$/, error: 'expected http://… or https://…' })
  // The metadata (RFC 8414, RFC 9728) and the pages' forms are at the root of the host.
  .refine((text) => URL.parse(text)?.pathname === '/', 'expected an address without a path');

const milliseconds = z.coerce.number<string>('expected milliseconds').int().min(1000).max(600_000);

const { GRPC_PORT: _rpcOnly, ...httpConfigShape } = serverConfigShape;

const databaseConfigShape = {
  ...mongoConfigShape,
  /** The gateway's database: accounts, users, keys, OAuth clients and grants, budgets, stored responses, audit log, usage. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_gateway'),
};

// One member for each service, as the type says.
const addressesConfigShape = Object.fromEntries(
  SERVICE_NAMES.map((name) => [addressVariable(name), addressesVariable]),
) as Record<AddressVariable, typeof addressesVariable>;

const OPERATOR_KEY_MIN_LENGTH = 32;

/** What the gateway reads from its environment. */
export const gatewayConfig = z.object({
  ...httpConfigShape,
  ...drainConfigShape,
  ...databaseConfigShape,
  ...natsConfigShape,
  ...peerConfigShape,
  ...sealingConfigShape,
  ...egressConfigShape,
  /** The key that gives access to `/operator/v1`, of at least 32 characters. Unset: those routes refuse every caller. */
  OPERATOR_KEY: secretVariable
    .refine(
      (key) => key.reveal().length >= OPERATOR_KEY_MIN_LENGTH,
      `expected at least ${OPERATOR_KEY_MIN_LENGTH} characters`,
    )
    .optional(),
  /** Days for which audit entries are kept. Default 400. */
  AUDIT_RETENTION_DAYS: z.coerce.number<string>('expected days').int().min(1).max(36_500).default(400),
  ...oauthConfigShape,
  ...upstreamConfigShape,
  /** `CATALOG_URL` and so on: addresses of each service, one per replica, separated by commas; for the port see RPC_TRANSPORT. */
  ...addressesConfigShape,
  /**
   * Base address as clients and browsers see it, without a path; https makes the sign-in cookie a `__Host-` one. No
   * trailing slash needed.
   */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Milliseconds that one request may take in total if it calls an application; then 504 TIMEOUT. Default 120 000. */
  REQUEST_TIMEOUT_MS: milliseconds.default(120_000),
  /**
   * Milliseconds that a request may take that only reads or writes our own data; then 504 TIMEOUT. Longer than the 5 s
   * in which the driver must find the database again. Default 8 000.
   */
  DATA_TIMEOUT_MS: milliseconds.default(8_000),
  /** `production` logs a response that its route does not declare; any other value refuses it. Default development. */
  NODE_ENV: z.string().default('development'),
});

/** The gateway's configuration. */
export type GatewayConfig = Readonly<z.infer<typeof gatewayConfig>>;

/** What the seed command reads from its environment. */
export const seedConfig = z.object({
  ...databaseConfigShape,
  ...natsConfigShape,
  LOG_LEVEL: serverConfigShape.LOG_LEVEL.default('warn'),
});
