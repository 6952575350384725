import {
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  serverConfigShape,
  permitsConfigShape,
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
  /** Addresses of the catalog service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name. */
  CATALOG_URL: addressesVariable,
  /** Addresses of the connections service, in the same form. */
  CONNECTIONS_URL: addressesVariable,
  /** Addresses of the agents service, in the same form. */
  AGENTS_URL: addressesVariable,
  /** Addresses of the gateway's internal port, in the same form; the gateway counts the steps of workflows. */
  GATEWAY_URL: addressesVariable,
  /** Address of the gateway as clients see it; addresses of files are below it. */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  ...egressConfigShape,
  ...workerConfigShape,
  /**
   * Maximum milliseconds of one execution, including its wait for a permit, but not the time for an MCP client's answers. The request's own
   * deadline, minus up to half a second for the response, also applies. Default 30 000.
   */
  EXECUTION_TIMEOUT_MS: positive.max(600_000).default(30_000),
  /**
   * Folder with the packages that accounts may import and run (`npm run packages:fetch`), and their list. Absent: none is allowed.
   */
  PACKAGES_PATH: z.string().min(1).optional(),
  /**
   * Maximum number of worker processes, which validate values against accounts' own schemas (tools) and run their filters (triggers). A
   * worker starts on demand, serves one account, and ends after a minute without work. Default 4.
   */
  EVALUATION_PROCESSES: positive.max(1_000).default(4),
  ...permitsConfigShape,
});

/** The tools service's configuration. */
export type ToolsConfig = Readonly<z.infer<typeof toolsConfig>>;
