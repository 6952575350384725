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

/** Values of HOST that do not address one replica. */
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
    /** Addresses of the catalog service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name. */
    CATALOG_URL: addressesVariable,
    /** Addresses of the connections service, in the same form. */
    CONNECTIONS_URL: addressesVariable,
    /** Address of the gateway as clients see it; installers are below it. */
    PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
    /** Output folder of `npm run agent:release`. Default: none; then the record of the latest release is degraded. */
    AGENT_RELEASES: z.string().min(1).optional(),
    /**
     * HTTP/1.1 address at which the other replicas reach this one: an agent's result is forwarded to the replica whose caller waits.
     * Default: the bound address, unless HOST is a wildcard.
     */
    REPLICA_URL: publicUrl.optional(),
  })
  .refine(({ HOST, REPLICA_URL }) => REPLICA_URL !== undefined || !WILDCARDS.has(HOST), {
    path: ['REPLICA_URL'],
  });

/** The agents service's configuration. */
export type AgentsConfig = Readonly<z.infer<typeof agentsConfig>>;
