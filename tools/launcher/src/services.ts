import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ownSecretVariables,
  sandboxCrmClients,
  sharedSecretVariables,
} from '@fairlead/instance-secrets/variables';
import { SERVICES, SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { untilOk, untilServing } from './health.ts';
import { loopbackUrl } from './launch-plan.ts';
import type { LaunchPlan } from './launch-plan.ts';
import type { NodeProgram } from './node-process.ts';
import { replicaName, replicaNumbers } from './replicas.ts';

/** A program that runs until it is stopped, and its readiness check. */
export interface Service {
  readonly program: NodeProgram;
  readonly ready: (signal: AbortSignal) => Promise<void>;
}

/** The development profile: tenants' calls to this machine's loopback addresses are allowed. */
const EGRESS_ALLOW = '127.0.0.0/8,::1';

/** Short, so that Ctrl-C ends everything within seconds. */
const SHUTDOWN_GRACE_MS = 3_000;

/** A delivery may take 10 s: started ones are finished, so that no event is delivered twice. */
const DELIVERY_GRACE_MS = 12_000;

/** With several gateways: the balancer notices within a fraction of this time that one is stopping. */
const DRAIN_DELAY_MS = 1_000;

/** Further time that a program needs to end. */
const EXIT_MS = 2_000;

/** HTTP/1.1 and gRPC address of a service, by default of its first replica. */
export function addressesOf(
  plan: LaunchPlan,
  name: ServiceName,
  replica = 1,
): { http: string; grpc: string } {
  return {
    http: loopbackUrl(portOf(plan, name, '', replica)),
    grpc: loopbackUrl(portOf(plan, name, 'Grpc', replica)),
  };
}

/** Address of the admin port of the gateway or a service (of its first replica): metrics, liveness. */
export function adminAddressOf(plan: LaunchPlan, name: ServiceName | 'gateway'): string {
  return loopbackUrl(plan.ports[`${name}Admin`]);
}

/** The ports on which the gateways listen. A single one has the port of the base URL. */
export function gatewayPorts({ replicas, gatewayPort, ports }: LaunchPlan): readonly number[] {
  if (replicas.gateway === 1) return [gatewayPort];
  return replicaNumbers(replicas, 'gateway').map((replica) => ports[`gateway-${replica}`] ?? absent(replica));
}

/** A gateway's port that clients do not see. */
function gatewayOwnPort({ ports }: LaunchPlan, kind: 'Admin' | 'Rpc' | 'Grpc', replica: number): number {
  if (replica === 1) return ports[`gateway${kind}`];
  return ports[`gateway${kind}-${replica}`] ?? absent(replica);
}

/** Internal addresses of all gateways, for the services that call them. */
function gatewayAddresses(plan: LaunchPlan): string {
  const kind = plan.childEnvironment['RPC_TRANSPORT'] === 'grpc' ? 'Grpc' : 'Rpc';
  return replicaNumbers(plan.replicas, 'gateway')
    .map((replica) => loopbackUrl(gatewayOwnPort(plan, kind, replica)))
    .join(',');
}

function absent(replica: number): never {
  throw new Error(`The gateway has no replica ${String(replica)}.`);
}

/** How long a gateway continues to serve after a stop is requested, in milliseconds: 0 without another gateway. */
function drainDelayMs({ replicas, childEnvironment }: LaunchPlan): number {
  if (replicas.gateway === 1) return 0;
  return Number(childEnvironment['DRAIN_DELAY_MS'] ?? DRAIN_DELAY_MS);
}

function portOf(plan: LaunchPlan, name: ServiceName, kind: '' | 'Grpc' | 'Admin', replica: number): number {
  const port = replica === 1 ? plan.ports[`${name}${kind}`] : plan.ports[`${name}${kind}-${replica}`];
  if (port === undefined) throw new Error(`${name} has no replica ${String(replica)}`);
  return port;
}

/** The addresses of all replicas of a service, for its callers. */
function replicaAddresses(plan: LaunchPlan, name: ServiceName, port: 'http' | 'grpc'): string {
  return replicaNumbers(plan.replicas, name)
    .map((replica) => addressesOf(plan, name, replica)[port])
    .join(',');
}

/** One replica of one of the services behind the gateway. */
export function rpcService(
  plan: LaunchPlan,
  name: ServiceName,
  replica: number,
  mongodbUri: string,
): Service {
  const ports = {
    PORT: String(portOf(plan, name, '', replica)),
    GRPC_PORT: String(portOf(plan, name, 'Grpc', replica)),
    ADMIN_PORT: String(portOf(plan, name, 'Admin', replica)),
  };
  const program = serviceProgram(plan, name, 'main.ts', [], {
    ...serverEnvironment(plan, name),
    ...ports,
    MONGODB_URI: mongodbUri,
    ...peerAddresses(plan, SERVICES.find((service) => service.name === name)?.calls ?? []),
    ...ownEnvironment(plan)[name],
  });
  const own = replicaName(name, replica);
  const stopGraceMs = graceMs(name) + EXIT_MS;
  return {
    program: { ...program, name: own, logFile: plan.data.logFile(own), stopGraceMs },
    ready: (signal) => untilServing(addressesOf(plan, name, replica).http, signal),
  };
}

export function gateway(plan: LaunchPlan, replica: number, mongodbUri: string): Service {
  const port = gatewayPorts(plan)[replica - 1] ?? absent(replica);
  const delayMs = drainDelayMs(plan);
  const program = serviceProgram(plan, 'gateway', 'main.ts', [], {
    ...serverEnvironment(plan, 'gateway'),
    PORT: String(port),
    ADMIN_PORT: String(gatewayOwnPort(plan, 'Admin', replica)),
    RPC_PORT: String(gatewayOwnPort(plan, 'Rpc', replica)),
    GRPC_PORT: String(gatewayOwnPort(plan, 'Grpc', replica)),
    DRAIN_DELAY_MS: String(delayMs),
    MONGODB_URI: mongodbUri,
    PUBLIC_URL: loopbackUrl(plan.gatewayPort),
    ...peerAddresses(plan, SERVICE_NAMES),
    IDENTITY_PAGES_URL: replicaAddresses(plan, 'identity', 'http'),
    CONNECTIONS_PAGES_URL: replicaAddresses(plan, 'connections', 'http'),
    TOOLS_FILES_URL: replicaAddresses(plan, 'tools', 'http'),
    AGENTS_CHANNEL_URL: replicaAddresses(plan, 'agents', 'http'),
  });
  const own = replicaName('gateway', replica);
  return {
    program: {
      ...program,
      name: own,
      logFile: plan.data.logFile(own),
      stopGraceMs: delayMs + SHUTDOWN_GRACE_MS + EXIT_MS,
    },
    ready: (signal) => untilOk(`${loopbackUrl(port)}/readyz`, signal),
  };
}

/** The command that seeds the two accounts and writes their secrets to the data folder. */
export function seedTask(plan: LaunchPlan, mongodbUri: string): NodeProgram {
  const task = serviceProgram(plan, 'identity', 'seed.ts', ['--file', plan.data.seedFile], {
    MONGODB_URI: mongodbUri,
    NATS_URL: plan.natsUrl,
  });
  return { ...task, name: 'seed', logFile: plan.data.logFile('seed') };
}

/** Folder of vendors' descriptions, and the environment of the process that downloads them. */
export interface CatalogueSources {
  readonly directory: string;
  /** The whole environment, because package registries' clients have their settings in variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The command that compiles the connectors' manifests into the catalogue: without `sources`, only those that need no vendor's description.
 */
export function compileTask(plan: LaunchPlan, sources?: CatalogueSources): NodeProgram {
  const script = join(plan.root, 'packages', 'connector-model', 'src', 'cli.ts');
  const further = plan.childEnvironment['FURTHER_CONNECTORS'];
  const directories = [join(plan.root, 'connectors'), ...(further === undefined ? [] : [further])];
  const connectors = directories.flatMap((directory) => ['--connectors', directory]);
  return {
    name: 'catalogue',
    args: [
      script,
      ...connectors,
      '--out',
      plan.data.catalogueFile,
      ...(sources === undefined ? [] : ['--sources', sources.directory]),
    ],
    env: { ...sources?.environment, ...plan.childEnvironment },
    cwd: plan.root,
    logFile: plan.data.logFile('catalogue'),
  };
}

function serviceProgram(
  plan: LaunchPlan,
  name: ServiceName | 'gateway',
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): NodeProgram {
  return {
    name,
    args: [join(plan.root, 'services', name, 'src', script), ...args],
    env: { ...plan.childEnvironment, ...env },
    cwd: plan.root,
    logFile: plan.data.logFile(name),
  };
}

function serverEnvironment(
  plan: LaunchPlan,
  name: ServiceName | 'gateway',
): Readonly<Record<string, string>> {
  return {
    HOST: '127.0.0.1',
    ADMIN_PORT: String(plan.ports[`${name}Admin`]),
    ...sharedSecretVariables(plan.secrets),
    ...ownSecretVariables(plan.secrets)[name],
    SHUTDOWN_GRACE_MS: String(graceMs(name)),
    NATS_URL: plan.natsUrl,
    EGRESS_ALLOW,
  };
}

function graceMs(name: ServiceName | 'gateway'): number {
  return name === 'delivery' ? DELIVERY_GRACE_MS : SHUTDOWN_GRACE_MS;
}

function peerAddresses(plan: LaunchPlan, names: readonly ServiceName[]): Readonly<Record<string, string>> {
  const port = plan.childEnvironment['RPC_TRANSPORT'] === 'grpc' ? 'grpc' : 'http';
  return Object.fromEntries(names.map((name) => [addressVariable(name), replicaAddresses(plan, name, port)]));
}

/** Variables that only one service reads. */
function ownEnvironment(plan: LaunchPlan): Readonly<Partial<Record<ServiceName, Record<string, string>>>> {
  const sandboxCrm = { baseUrl: loopbackUrl(plan.ports.sandboxCrm) };
  return {
    identity: {
      PUBLIC_URL: loopbackUrl(plan.gatewayPort),
    },
    catalog: {
      // Small, because the catalogue's objects are permanent: a large young generation would only keep garbage of loading it.
      NODE_OPTIONS: '--max-semi-space-size=4',
      CATALOGUE_PATH: plan.data.catalogueFile,
      CONNECTOR_SETTINGS:
        plan.childEnvironment['CONNECTOR_SETTINGS'] ?? JSON.stringify({ 'sandbox-crm': sandboxCrm }),
    },
    tools: { PUBLIC_URL: loopbackUrl(plan.gatewayPort), GATEWAY_URL: gatewayAddresses(plan) },
    triggers: {
      PUBLIC_URL: loopbackUrl(plan.gatewayPort),
    },
    agents: {
      PUBLIC_URL: loopbackUrl(plan.gatewayPort),
      AGENT_RELEASES:
        plan.childEnvironment['AGENT_RELEASES'] ??
        fileURLToPath(new URL('../../../dist/agent', import.meta.url)),
    },
    mcp: { PUBLIC_URL: loopbackUrl(plan.gatewayPort) },
    connections: {
      PUBLIC_URL: loopbackUrl(plan.gatewayPort),
      CONNECTOR_OAUTH_CLIENTS: JSON.stringify({
        ...ownClients(plan.childEnvironment['CONNECTOR_OAUTH_CLIENTS']),
        ...sandboxCrmClients(plan.secrets),
      }),
    },
  };
}

/** The caller's own OAuth clients; the connections service checks them when it starts. */
function ownClients(text = '{}'): Record<string, unknown> {
  const clients: unknown = JSON.parse(text);
  return typeof clients === 'object' && clients !== null ? { ...clients } : {};
}
