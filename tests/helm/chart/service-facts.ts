import { agentsConfig } from '@fairlead-services/agents/config';
import { catalogConfig } from '@fairlead-services/catalog/config';
import { connectionsConfig } from '@fairlead-services/connections/config';
import { deliveryConfig } from '@fairlead-services/delivery/config';
import { gatewayConfig } from '@fairlead-services/gateway/config';
import { identityConfig } from '@fairlead-services/identity/config';
import { mcpConfig } from '@fairlead-services/mcp/config';
import { toolsConfig } from '@fairlead-services/tools/config';
import { triggersConfig } from '@fairlead-services/triggers/config';
import type { z } from 'zod';

/** The configuration of each service; the gateway is one of them. */
export const CONFIGS = {
  gateway: gatewayConfig,
  identity: identityConfig,
  catalog: catalogConfig,
  connections: connectionsConfig,
  agents: agentsConfig,
  tools: toolsConfig,
  delivery: deliveryConfig,
  triggers: triggersConfig,
  mcp: mcpConfig,
} as const satisfies Readonly<Record<string, z.ZodObject>>;

/** The name of a service with a Deployment of its own. */
export type DeployedService = keyof typeof CONFIGS;

/** The names of all services with a Deployment, the gateway first. */
// The keys are exactly the literal's.
export const DEPLOYED_SERVICES = Object.keys(CONFIGS) as readonly DeployedService[];

/** Variables that come from Secrets. Where a service also starts without one, `secretVariables` names it. */
const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'AUDIT_KEYED_SINCE',
  'AUDIT_KEYS',
  'CALLER_CONTEXT_KEYS',
  'CONNECTOR_OAUTH_CLIENTS',
  'MCP_SESSION_KEYS',
  'MONGODB_URI',
  'NATS_URL',
  'OPERATOR_KEY',
  'SEALING_KEYS',
  'UPSTREAM_OIDC_CLIENT_SECRET',
]);

/** Facts that the chart has about a service. `files/services.json` of the chart holds it for each. */
export interface ServiceFacts {
  /** The services that it calls, itself included if its replicas call each other. */
  readonly calls: readonly DeployedService[];
  /** Variables with addresses for RPCs, and the service that each leads to. */
  readonly rpcAddresses: Readonly<Record<string, DeployedService>>;
  /** Variables with addresses that are of HTTP/1.1 with any RPC_TRANSPORT. */
  readonly httpAddresses: Readonly<Record<string, DeployedService>>;
  /** Whether accounts choose addresses that it calls. */
  readonly callsOut: boolean;
  /** Variables from its Secret without which it does not start. */
  readonly secrets: readonly string[];
  /** Variables that its Secret may have too. */
  readonly optionalSecrets: readonly string[];
  /** All variables that it reads. */
  readonly variables: readonly string[];
}

/** The facts about one service, taken from its configuration. */
export function serviceFacts(name: DeployedService): ServiceFacts {
  const shape: Readonly<Record<string, z.ZodType>> = CONFIGS[name].shape;
  const variables = Object.keys(shape).sort();
  const isRequired = (variable: string): boolean => shape[variable]?.safeParse(undefined).success === false;
  const secrets = variables.filter((variable) => SECRET_VARIABLES.has(variable));
  const rpcAddresses = addresses(variables, /^([A-Z]+)_URL$/);
  return {
    calls: [
      ...new Set([...Object.values(rpcAddresses), ...(variables.includes('REPLICA_URL') ? [name] : [])]),
    ].sort(),
    rpcAddresses,
    httpAddresses: addresses(variables, /^([A-Z]+)_(?:PAGES|FILES|CHANNEL)_URL$/),
    callsOut: variables.includes('EGRESS_ALLOW'),
    secrets: secrets.filter(isRequired),
    optionalSecrets: secrets.filter((variable) => !isRequired(variable)),
    variables,
  };
}

function addresses(variables: readonly string[], form: RegExp): Readonly<Record<string, DeployedService>> {
  return Object.fromEntries(
    variables.flatMap((variable) => {
      const service = DEPLOYED_SERVICES.find((name) => name === form.exec(variable)?.[1]?.toLowerCase());
      return service === undefined ? [] : [[variable, service]];
    }),
  );
}

/** The text of `files/services.json`, before prettier. */
export function servicesFile(): string {
  const facts = Object.fromEntries(DEPLOYED_SERVICES.map((name) => [name, serviceFacts(name)]));
  return `${JSON.stringify(facts, null, 2)}\n`;
}
