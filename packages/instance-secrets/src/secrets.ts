import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const clientSchema = z.object({ clientId: z.string(), clientSecret: z.string() });

/** The stored form of the secrets. Loose, so that an older release keeps the secrets that a newer one has added. */
export const secretsSchema = z.looseObject({
  /** Key ring of the caller contexts between services. */
  callerContextKeys: z.string(),
  /** Key ring that wraps the data keys of stored credentials: `version:base64`, the current one first. */
  sealingKeys: z.string(),
  /** The gateway's own key ring; seals idempotent responses. */
  gatewaySealingKeys: z.string(),
  /** Identity's own key ring; seals signing keys and the authorization server's data. */
  identitySealingKeys: z.string(),
  /** Delivery's own key ring; seals signing secrets and headers of destinations. */
  deliverySealingKeys: z.string(),
  /** Triggers' own key ring; seals the tokens of inbound addresses. */
  triggersSealingKeys: z.string(),
  /** Agents' own key ring; seals the tokens of on-prem agents. */
  agentsSealingKeys: z.string(),
  /** Mcp's own key ring; seals the tokens of MCP servers. */
  mcpSealingKeys: z.string(),
  /** The gateway's key ring of the audit chain. */
  auditKeys: z.string(),
  /** Time at which `auditKeys` were generated. Audit batches that an older instance wrote before it have no key. */
  auditKeyedSince: z.string(),
  /** The gateway's key ring of the session ids of MCP clients. */
  mcpSessionKeys: z.string(),
  /** The platform operator's key. */
  operatorKey: z.string(),
  sandboxCrm: z.object({
    apiToken: z.string(),
    adminKey: z.string(),
    userEmail: z.string(),
    userPassword: z.string(),
    /** The connector's own OAuth client. */
    connectorClient: clientSchema,
    /** A second OAuth client, for tests of auth providers. */
    providerClient: clientSchema,
  }),
});

/** The secrets of one instance. */
export type Secrets = z.infer<typeof secretsSchema>;

/** Generates new secrets. Stored credentials can be read only with the same keys, so this is done once per instance. */
export function newSecrets(): Secrets {
  return {
    callerContextKeys: newKeyRing(),
    sealingKeys: newKeyRing(),
    gatewaySealingKeys: newKeyRing(),
    identitySealingKeys: newKeyRing(),
    deliverySealingKeys: newKeyRing(),
    triggersSealingKeys: newKeyRing(),
    agentsSealingKeys: newKeyRing(),
    mcpSealingKeys: newKeyRing(),
    auditKeys: newKeyRing(),
    auditKeyedSince: new Date().toISOString(),
    mcpSessionKeys: newKeyRing(),
    operatorKey: `fairlead_operator_${randomBytes(32).toString('base64url')}`,
    sandboxCrm: {
      apiToken: `scrm_${randomBytes(18).toString('base64url')}`,
      adminKey: `scrm_admin_${randomBytes(18).toString('base64url')}`,
      userEmail: 'ada@sandbox-crm.example',
      userPassword: randomBytes(12).toString('base64url'),
      connectorClient: { clientId: 'fairlead', clientSecret: randomBytes(24).toString('base64url') },
      providerClient: { clientId: 'fairlead-provider', clientSecret: randomBytes(24).toString('base64url') },
    },
  };
}

function newKeyRing(): string {
  return `v1:${randomBytes(32).toString('base64')}`;
}
