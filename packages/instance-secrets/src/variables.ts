import type { ServiceName } from '@fairlead/service-list/services';
import type { Secrets } from './secrets.ts';

/** Variables of a program by name. */
export type Variables = Readonly<Record<string, string>>;

/** The generated secrets of each service, besides the one that all services share. A service without an entry has none. */
export function ownSecretVariables(
  secrets: Secrets,
): Readonly<Partial<Record<ServiceName | 'gateway', Variables>>> {
  return {
    gateway: {
      SEALING_KEYS: secrets.gatewaySealingKeys,
      AUDIT_KEYS: secrets.auditKeys,
      AUDIT_KEYED_SINCE: secrets.auditKeyedSince,
      MCP_SESSION_KEYS: secrets.mcpSessionKeys,
      OPERATOR_KEY: secrets.operatorKey,
    },
    identity: { SEALING_KEYS: secrets.identitySealingKeys },
    connections: { SEALING_KEYS: secrets.sealingKeys },
    agents: { SEALING_KEYS: secrets.agentsSealingKeys },
    delivery: { SEALING_KEYS: secrets.deliverySealingKeys },
    triggers: { SEALING_KEYS: secrets.triggersSealingKeys },
    mcp: { SEALING_KEYS: secrets.mcpSealingKeys },
  };
}

/** The secret of every service: each process verifies the signatures of the others. */
export function sharedSecretVariables(secrets: Pick<Secrets, 'callerContextKeys'>): Variables {
  return { CALLER_CONTEXT_KEYS: secrets.callerContextKeys };
}

/** The secrets of the sandbox CRM, with the OAuth client of its connector and one for trying auth providers. */
export function sandboxCrmVariables({ sandboxCrm }: Secrets, publicUrl: string): Variables {
  const redirectUris = [`${publicUrl}/connect/callback`];
  const clients = [
    { ...sandboxCrm.connectorClient, name: 'Fairlead', redirectUris },
    { ...sandboxCrm.providerClient, name: 'Fairlead (auth provider)', redirectUris },
  ];
  return {
    API_TOKEN: sandboxCrm.apiToken,
    ADMIN_KEY: sandboxCrm.adminKey,
    USER_EMAIL: sandboxCrm.userEmail,
    USER_PASSWORD: sandboxCrm.userPassword,
    OAUTH_CLIENTS: JSON.stringify(clients),
  };
}

/**
 * The OAuth client of the sandbox CRM's connector, in the form of CONNECTOR_OAUTH_CLIENTS. By authenticationId: the sign-in and
 * the client-credentials method.
 */
export function sandboxCrmClients({ sandboxCrm }: Secrets): Readonly<Record<string, unknown>> {
  return { 'sandbox-crm': { 0: sandboxCrm.connectorClient, 2: sandboxCrm.connectorClient } };
}
