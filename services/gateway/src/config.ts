import {
  addressesVariable,
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { z } from 'zod';

const publicUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

const milliseconds = z.coerce.number<string>('expected milliseconds').int().min(1000).max(600_000);

const { GRPC_PORT: _rpcOnly, ...httpConfigShape } = serverConfigShape;

const databaseConfigShape = {
  ...mongoConfigShape,
  /** The gateway's database: accounts, users, API keys. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_gateway'),
};

/** What the gateway reads from its environment. */
export const gatewayConfig = z.object({
  ...httpConfigShape,
  ...databaseConfigShape,
  ...natsConfigShape,
  ...peerConfigShape,
  /** Addresses of the catalog service, one a replica, separated by commas; which port: see RPC_TRANSPORT. */
  CATALOG_URL: addressesVariable,
  /** Addresses of the connections service, likewise. */
  CONNECTIONS_URL: addressesVariable,
  /** Addresses of the tools service, likewise. */
  TOOLS_URL: addressesVariable,
  /** Base address as clients and browsers see it; https makes the sign-in cookie a `__Host-` one. No trailing slash needed. */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Milliseconds that one request may take in all where it calls an application; then 504 TIMEOUT. Default 120 000. */
  REQUEST_TIMEOUT_MS: milliseconds.default(120_000),
  /**
   * Milliseconds that a request may take which only reads or writes our own data; then 504 TIMEOUT. Longer than the 5 s
   * in which a database has to be found again. Default 8 000.
   */
  DATA_TIMEOUT_MS: milliseconds.default(8_000),
  /** `production` logs an answer that its route does not declare; anything else refuses it. Default development. */
  NODE_ENV: z.string().default('development'),
});

/** The gateway's configuration. */
export type GatewayConfig = z.infer<typeof gatewayConfig>;

/** What the seed command reads from its environment. */
export const seedConfig = z.object({
  ...databaseConfigShape,
  ...natsConfigShape,
  LOG_LEVEL: serverConfigShape.LOG_LEVEL.default('warn'),
});
