import {
  drainConfigShape,
  keyRingVariable,
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  sealingConfigShape,
  secretVariable,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { AddressVariable } from '@fairlead/service-list/services';
import { z } from 'zod';
import { isOrigin } from '@fairlead/mcp-edge/origins';

const publicUrl = z
  .url({ protocol: /^https?$/, error: 'expected http://… or https://…' })
  // The metadata (RFC 8414, RFC 9728) and the pages' forms are at the root of the host.
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

// One member for each service, as the type says.
const addressesConfigShape = Object.fromEntries(
  SERVICE_NAMES.map((name) => [addressVariable(name), addressesVariable]),
) as Record<AddressVariable, typeof addressesVariable>;

const OPERATOR_KEY_MIN_LENGTH = 32;

/** The variables that the gateway reads from its environment. */
export const gatewayConfig = z.object({
  ...serverConfigShape,
  /**
   * Port of HTTP/1.1 for the internal RPCs, which tools calls, as it calls GRPC_PORT with RPC_TRANSPORT=grpc. Other than PORT it
   * is never public. Default 0: any free port.
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
   * Keys of the audit chain, `v2:<base64 of 32 bytes>,v1:<…>`: the first seals, every key verifies. Not kept in the database,
   * and no other ring of keys: a key stays for as long as batches that it sealed are verified. docs/production.md describes
   * the rotation.
   */
  AUDIT_KEYS: keyRingVariable,
  /**
   * Time in ISO 8601 from which every replica of the gateway has had AUDIT_KEYS: a later batch without a key is a fault. Unset:
   * batches without a key are accepted before the first one with a key, whenever they were sealed.
   */
  AUDIT_KEYED_SINCE: z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-11-28T00:00:00Z' })
    .transform((text) => new Date(text))
    .optional(),
  /**
   * Keys of the session ids of MCP clients, `v2:<base64 of 32 bytes>,v1:<…>`: the first signs, every key verifies. The same value for all
   * replicas. An id is valid for 24 hours, for as long as which a former key stays.
   */
  MCP_SESSION_KEYS: keyRingVariable,
  /** `CATALOG_URL` and so on: addresses of each service, one per replica, separated by commas; for the port see RPC_TRANSPORT. */
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
   * Proxies in front of the gateway that add to X-Forwarded-For: the address of a client is the one that the outermost of
   * them saw. Default 0: the header is ignored.
   */
  TRUSTED_PROXY_HOPS: z.coerce.number<string>('expected a whole number').int().min(0).max(10).default(0),
  /**
   * Base address as clients and browsers see it, without a path; https makes the sign-in cookie a `__Host-` one. No
   * trailing slash needed.
   */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Milliseconds that one request may take in total if it calls an application; then 504 TIMEOUT. Default 120 000. */
  REQUEST_TIMEOUT_MS: milliseconds.default(120_000),
  /**
   * Milliseconds that an execution with a toolset may take in total, because it may run a workflow: its 5 minutes, the wait for
   * its turn, and its end; then 504 TIMEOUT. EXECUTION_TIMEOUT_MS of the tools service ends a call of a single tool earlier.
   * Default 360 000.
   */
  RUN_TIMEOUT_MS: milliseconds.default(360_000),
  /**
   * Milliseconds that a request may take that only reads or writes our own data; then 504 TIMEOUT. Longer than the 5 s
   * in which the driver must find the database again. Default 8 000.
   */
  DATA_TIMEOUT_MS: milliseconds.default(8_000),
  /**
   * Origins such as `https://app.example`, separated by commas. Scripts of these sites may call MCP servers, and clients may reach MCP
   * servers under their hosts. The origin of PUBLIC_URL always may, and loopback unless NODE_ENV is production.
   */
  MCP_ALLOWED_ORIGINS: originsVariable.default([]),
  /** `production` logs a response that its route does not declare; any other value refuses it. Default development. */
  NODE_ENV: z.string().default('development'),
});

/** The gateway's configuration. */
export type GatewayConfig = Readonly<z.infer<typeof gatewayConfig>>;
