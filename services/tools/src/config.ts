import {
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  serverConfigShape,
  slotsConfigShape,
  workerConfigShape,
} from '@fairlead/service-kit/config';
import { egressConfigShape } from '@fairlead/egress/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { z } from 'zod';

const positive = z.coerce.number<string>('expected a whole number').int().min(1);

const publicUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

/** The settings that the tools service reads from its environment. */
export const toolsConfig = z.object({
  ...serverConfigShape,
  ...mongoConfigShape,
  /** The service's database: the history of executions. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_tools'),
  ...natsConfigShape,
  ...peerConfigShape,
  /** Addresses of the catalog service, one per replica, separated by commas; for the port see RPC_TRANSPORT. */
  CATALOG_URL: addressesVariable,
  /** Addresses of the connections service, in the same form. */
  CONNECTIONS_URL: addressesVariable,
  /** Addresses of the agents service, in the same form. */
  AGENTS_URL: addressesVariable,
  /** Addresses of the gateway's internal port, in the same form: it counts the steps of workflows. */
  GATEWAY_URL: addressesVariable,
  /** Address of the gateway as clients see it; the addresses of files are under it. */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  ...egressConfigShape,
  ...workerConfigShape,
  /**
   * Maximum milliseconds of one execution, including its wait for a slot, without the time in which an MCP client answers; the request's own
   * deadline, less up to half a second for the response, also applies. Default 30 000.
   */
  EXECUTION_TIMEOUT_MS: positive.max(600_000).default(30_000),
  /**
   * Maximum number of worker processes that check values against accounts' own schemas (tools) or run their filters (triggers). A worker
   * starts when it is needed, serves one account, and ends after a minute without a check. Default 4.
   */
  EVALUATION_PROCESSES: positive.max(1_000).default(4),
  ...slotsConfigShape,
});

/** The tools service's configuration. */
export type ToolsConfig = Readonly<z.infer<typeof toolsConfig>>;
