import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DevStack } from '../../setup/dev-stack.ts';
import type { PlantedSecret } from './search.ts';

/** The secrets of a stack itself, from its folder `data`. */
export async function secretsOfStack(data: string, stack: DevStack): Promise<PlantedSecret[]> {
  // The launcher wrote it; its tests check the shape.
  const secrets = JSON.parse(await readFile(join(data, 'secrets.json'), 'utf8')) as {
    callerContextKeys: string;
    sealingKeys: string;
    gatewaySealingKeys: string;
    identitySealingKeys: string;
    deliverySealingKeys: string;
    triggersSealingKeys: string;
    agentsSealingKeys: string;
    mcpSealingKeys: string;
    auditKeys: string;
    mcpSessionKeys: string;
    sandboxCrm: { connectorClient: { clientSecret: string } };
  };
  const ofRing = (keys: string): string => keys.slice(keys.indexOf(':') + 1);
  return [
    { name: 'caller-context key', value: ofRing(secrets.callerContextKeys) },
    { name: 'sealing key', value: ofRing(secrets.sealingKeys) },
    { name: 'sealing key of the gateway', value: ofRing(secrets.gatewaySealingKeys) },
    { name: 'sealing key of identity', value: ofRing(secrets.identitySealingKeys) },
    { name: 'sealing key of delivery', value: ofRing(secrets.deliverySealingKeys) },
    { name: 'sealing key of triggers', value: ofRing(secrets.triggersSealingKeys) },
    { name: 'sealing key of agents', value: ofRing(secrets.agentsSealingKeys) },
    { name: 'sealing key of mcp', value: ofRing(secrets.mcpSealingKeys) },
    { name: 'key of the audit chain', value: ofRing(secrets.auditKeys) },
    { name: 'key of session ids', value: ofRing(secrets.mcpSessionKeys) },
    { name: 'operator’s key', value: stack.operatorKey },
    { name: 'client secret of the connector', value: secrets.sandboxCrm.connectorClient.clientSecret },
    { name: 'client secret of the account', value: stack.sandboxCrm.oauthClientSecret },
    { name: 'API token of the vendor', value: stack.sandboxCrm.apiKey },
    { name: 'password of the vendor’s user', value: stack.sandboxCrm.password },
    ...[stack.account, stack.otherAccount].flatMap(({ accountId, apiKey, ownerPassword }) => [
      { name: `API key of ${accountId}`, value: apiKey },
      { name: `password of ${accountId}`, value: ownerPassword },
    ]),
  ];
}
