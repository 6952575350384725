import {
  jsonVariable,
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  secretVariable,
  serverConfigShape,
  permitsConfigShape,
  workerConfigShape,
} from '@fairlead/service-kit/config';
import { egressConfigShape } from '@fairlead/egress/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { z } from 'zod';
import { MCP_APPLICATION_SLUG } from './domain/mcp-application.ts';

const httpUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

const ownClients = z
  .record(
    z.string().min(1),
    z.record(
      z.string().regex(/^(0|[1-9]\d{0,8})$/, 'expected an authenticationId'),
      z.object({
        clientId: z.string().min(1),
        clientSecret: secretVariable,
      }),
    ),
  )
  // Refused, because any account could name the authorization server that would then get the operator's secret.
  .refine(
    (clients) => !Object.hasOwn(clients, MCP_APPLICATION_SLUG),
    `${MCP_APPLICATION_SLUG} has no client of the operator's, because MCP servers name who signs people in`,
  );

/** The variables that the connections service reads from its environment. */
export const connectionsConfig = z.object({
  ...serverConfigShape,
  ...mongoConfigShape,
  /** The service's database: connections, sign-ins, sealed credentials and the wrapped keys that open them. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_connections'),
  ...natsConfigShape,
  ...peerConfigShape,
  /** Addresses of the identity service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name. */
  IDENTITY_URL: addressesVariable,
  /** Addresses of the catalog service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name. */
  CATALOG_URL: addressesVariable,
  /** Address of the gateway as browsers and vendors see it; the sign-in pages and the redirect URI are below it. */
  PUBLIC_URL: httpUrl,
  ...sealingConfigShape,
  /**
   * The connectors' own OAuth clients at their vendors, as JSON:
   * `{"<application slug>": {"<authenticationId>": {"clientId": "…", "clientSecret": "…"}}}`. Default: none.
   */
  CONNECTOR_OAUTH_CLIENTS: jsonVariable(ownClients).prefault('{}'),
  ...egressConfigShape,
  ...workerConfigShape,
  ...permitsConfigShape,
});

/** The connections service's configuration. */
export type ConnectionsConfig = Readonly<z.infer<typeof connectionsConfig>>;
