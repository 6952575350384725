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

/** The configuration of each service, the gateway included. */
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

/** Name of a service with its own Deployment. */
export type DeployedService = keyof typeof CONFIGS;

/** Names of all services with a Deployment, the gateway first. */
// CONFIGS is a literal with exactly these keys.
export const DEPLOYED_SERVICES = Object.keys(CONFIGS) as readonly DeployedService[];

/** Variables that come from Secrets. For a service that also starts without one, see `secretVariables`. */
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

/** The chart's facts about a service; the chart's `files/services.json` contains them for each service. */
export interface ServiceFacts {
  /** Services that it calls, including itself if its replicas call each other. */
  readonly calls: readonly DeployedService[];
  /** Variables with addresses for RPCs, and the service at each address. */
  readonly rpcAddresses: Readonly<Record<string, DeployedService>>;
  /** Variables with addresses that are called with HTTP/1.1, whatever RPC_TRANSPORT says. */
  readonly httpAddresses: Readonly<Record<string, DeployedService>>;
  /** Whether it calls addresses that accounts choose. */
  readonly callsOut: boolean;
  /** Variables from its Secret that it requires. */
  readonly secrets: readonly string[];
  /** Optional variables from its Secret. */
  readonly optionalSecrets: readonly string[];
  /** All variables that it reads. */
  readonly variables: readonly string[];
}

/** The facts about one service, from its configuration. */
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

/** The content of `files/services.json`, not formatted. */
export function servicesFile(): string {
  const facts = Object.fromEntries(DEPLOYED_SERVICES.map((name) => [name, serviceFacts(name)]));
  return `${JSON.stringify(facts, null, 2)}\n`;
}
