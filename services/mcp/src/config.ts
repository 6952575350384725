import {
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { z } from 'zod';

const publicUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

/** The settings that the mcp service reads from its environment. */
export const mcpConfig = z.object({
  ...serverConfigShape,
  ...mongoConfigShape,
  /** The service's database: MCP servers with their sealed tokens. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_mcp'),
  ...natsConfigShape,
  ...peerConfigShape,
  ...sealingConfigShape,
  /** Addresses of the catalog service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name. */
  CATALOG_URL: addressesVariable,
  /** Addresses of the connections service, in the same form. */
  CONNECTIONS_URL: addressesVariable,
  /** Addresses of the tools service, in the same form. */
  TOOLS_URL: addressesVariable,
  /** Address of the gateway as clients see it; links sent to users are below it. */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
});

/** The mcp service's configuration. */
export type McpConfig = Readonly<z.infer<typeof mcpConfig>>;
