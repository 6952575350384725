import { mongoConfigShape, serverConfigShape } from '@fairlead/service-kit/config';
import { z } from 'zod';

const serviceUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

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
  /** Address of the catalog service: Connect over HTTP/1.1. */
  CATALOG_URL: serviceUrl,
  /** Address of the connections service: Connect over HTTP/1.1. */
  CONNECTIONS_URL: serviceUrl,
  /** Address of the tools service: Connect over HTTP/1.1. */
  TOOLS_URL: serviceUrl,
  /** Base address as clients and browsers see it; https makes the sign-in cookie a `__Host-` one. No trailing slash needed. */
  PUBLIC_URL: serviceUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Milliseconds that one request may take in all, vendor calls included; then 504 TIMEOUT. Default 120 000. */
  REQUEST_TIMEOUT_MS: z.coerce
    .number<string>('expected milliseconds')
    .int()
    .min(1000)
    .max(600_000)
    .default(120_000),
  /** `production` logs an answer that its route does not declare; anything else refuses it. Default development. */
  NODE_ENV: z.string().default('development'),
});

/** The gateway's configuration. */
export type GatewayConfig = z.infer<typeof gatewayConfig>;

/** What the seed command reads from its environment. */
export const seedConfig = z.object({
  ...databaseConfigShape,
  LOG_LEVEL: serverConfigShape.LOG_LEVEL.default('warn'),
});
