import {
  drainConfigShape,
  keyRingVariable,
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  secretVariable,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { AddressVariable } from '@fairlead/service-list/services';
import { z } from 'zod';
import { isOrigin } from '@fairlead/mcp-edge/origins';

const publicUrl = z
  .url({ protocol: /^https?$/, error: 'expected http://… or https://…' })
  // No path: the metadata (RFC 8414, RFC 9728) and the forms of the pages are at the root of the host.
  .refine((text) => URL.parse(text)?.pathname === '/', 'expected an address without a path');

const originsVariable = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .refine((origins) => origins.every(isOrigin), 'expected origins such as https://app.example');

const milliseconds = z.coerce.number<string>('expected milliseconds').int().min(1000).max(600_000);

const databaseConfigShape = {
  ...mongoConfigShape,
  /** The gateway's database: counted calls, stored responses, audit log, usage, erasures. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_gateway'),
};

// One property per service, as the type requires.
const addressesConfigShape = Object.fromEntries(
  SERVICE_NAMES.map((name) => [addressVariable(name), addressesVariable]),
) as Record<AddressVariable, typeof addressesVariable>;

const OPERATOR_KEY_MIN_LENGTH = 32;

/** The variables that the gateway reads from its environment. */
export const gatewayConfig = z.object({
  ...serverConfigShape,
  /**
   * HTTP/1.1 port of the internal RPCs, which the tools service calls (with RPC_TRANSPORT=grpc it calls GRPC_PORT). Must never be public,
   * unlike PORT. Default 0: any free port.
   */
  RPC_PORT: serverConfigShape.PORT,
  ...drainConfigShape,
  ...databaseConfigShape,
  ...natsConfigShape,
  ...peerConfigShape,
  ...sealingConfigShape,
  /** The key that gives access to `/operator/v1`, of at least 32 characters. Unset: those routes refuse every caller. */
  OPERATOR_KEY: secretVariable
    .refine(
      (key) => key.reveal().length >= OPERATOR_KEY_MIN_LENGTH,
      `expected at least ${OPERATOR_KEY_MIN_LENGTH} characters`,
    )
    .optional(),
  /** Days for which audit entries are kept. Default 400. */
  AUDIT_RETENTION_DAYS: z.coerce.number<string>('expected days').int().min(1).max(36_500).default(400),
  /**
   * Keys of the audit chain, `v2:<base64 of 32 bytes>,v1:<…>`: the first seals, all verify. Keep them out of the database and use them for
   * nothing else. A key must stay in the list as long as batches sealed by it are verified. docs/production.md describes the rotation.
   */
  AUDIT_KEYS: keyRingVariable,
  /**
   * ISO 8601 time from which every replica of the gateway has AUDIT_KEYS: a later batch without a key is reported as a fault. Unset:
   * batches without a key are accepted until the first one with a key.
   */
  AUDIT_KEYED_SINCE: z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-11-28T00:00:00Z' })
    .transform((text) => new Date(text))
    .optional(),
  /**
   * Keys of the session ids of MCP clients, `v2:<base64 of 32 bytes>,v1:<…>`: the first signs, all verify. All replicas need the same
   * value. Keep a former key for 24 hours, the lifetime of an id.
   */
  MCP_SESSION_KEYS: keyRingVariable,
  /**
   * `CATALOG_URL` and so on: addresses of each service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name.
   */
  ...addressesConfigShape,
  /**
   * HTTP/1.1 addresses of the authorization server and its pages in the identity service, one per replica, separated by
   * commas. Default IDENTITY_URL, which is right unless RPC_TRANSPORT is grpc.
   */
  IDENTITY_PAGES_URL: addressesVariable.optional(),
  /**
   * HTTP/1.1 addresses of the connections service, which serves the pages below `/connect`, one per replica, separated by
   * commas. Default CONNECTIONS_URL, which is right unless RPC_TRANSPORT is grpc.
   */
  CONNECTIONS_PAGES_URL: addressesVariable.optional(),
  /**
   * HTTP/1.1 addresses of the tools service, which receives and sends the bytes of files, one per replica, separated by
   * commas. Default TOOLS_URL, which is right unless RPC_TRANSPORT is grpc.
   */
  TOOLS_FILES_URL: addressesVariable.optional(),
  /**
   * HTTP/1.1 addresses of the agents service, to which on-prem agents connect below `/agent/v1`, one per replica, separated by
   * commas. Default AGENTS_URL, which is right unless RPC_TRANSPORT is grpc.
   */
  AGENTS_CHANNEL_URL: addressesVariable.optional(),
  /**
   * Number of proxies in front of the gateway that add to X-Forwarded-For: the client's address is the one that the outermost proxy saw.
   * Default 0: the header is ignored.
   */
  TRUSTED_PROXY_HOPS: z.coerce.number<string>('expected a whole number').int().min(0).max(10).default(0),
  /**
   * Base address as clients and browsers see it, without a path; a trailing slash is optional. With https, the sign-in cookie is a
   * `__Host-` cookie.
   */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Milliseconds after which a request that calls an application gets 504 TIMEOUT. Default 120 000. */
  REQUEST_TIMEOUT_MS: milliseconds.default(120_000),
  /**
   * Milliseconds after which an execution in a toolset gets 504 TIMEOUT. It may run a workflow, so this must cover 5 minutes of steps and
   * the time in the queue. A single tool ends earlier, by EXECUTION_TIMEOUT_MS of the tools service. Default 360 000.
   */
  RUN_TIMEOUT_MS: milliseconds.default(360_000),
  /**
   * Milliseconds after which a request that only reads or writes our own data gets 504 TIMEOUT. Must exceed the 5 s that the MongoDB driver
   * may take to find a primary. Default 8 000.
   */
  DATA_TIMEOUT_MS: milliseconds.default(8_000),
  /**
   * Origins such as `https://app.example`, separated by commas. Scripts of these sites may call MCP servers, and MCP servers may be reached
   * under these hosts. Always allowed: the origin of PUBLIC_URL, and loopback unless NODE_ENV is production.
   */
  MCP_ALLOWED_ORIGINS: originsVariable.default([]),
  /** With `production`, an undeclared response is sent and logged; with any other value it is refused. Default development. */
  NODE_ENV: z.string().default('development'),
});

/** The gateway's configuration. */
export type GatewayConfig = Readonly<z.infer<typeof gatewayConfig>>;
