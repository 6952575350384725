import {
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  sealingConfigShape,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { z } from 'zod';

const publicUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

/** Addresses of HOST that lead to no replica. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/** The settings that the agents service reads from its environment. */
export const agentsConfig = z
  .object({
    ...serverConfigShape,
    ...mongoConfigShape,
    /** The service's database: agents with their sealed tokens, and their tasks. */
    MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_agents'),
    ...natsConfigShape,
    ...peerConfigShape,
    ...sealingConfigShape,
    /** Addresses of the catalog service, one per replica, separated by commas; for the port see RPC_TRANSPORT. */
    CATALOG_URL: addressesVariable,
    /** Addresses of the connections service, in the same form. */
    CONNECTIONS_URL: addressesVariable,
    /** Address of the gateway as clients see it; installers are below it. */
    PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
    /** Folder that `npm run agent:release` has written. Default: none; then the record of the latest release is degraded. */
    AGENT_RELEASES: z.string().min(1).optional(),
    /**
     * HTTP/1.1 address that leads the other replicas to this one alone; results of agents go to the replica that waits. Default: as bound,
     * unless HOST is a wildcard.
     */
    REPLICA_URL: publicUrl.optional(),
  })
  .refine(({ HOST, REPLICA_URL }) => REPLICA_URL !== undefined || !WILDCARDS.has(HOST), {
    path: ['REPLICA_URL'],
  });

/** The agents service's configuration. */
export type AgentsConfig = Readonly<z.infer<typeof agentsConfig>>;
