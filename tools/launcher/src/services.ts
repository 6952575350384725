import { join } from 'node:path';
import { SERVICES, SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { untilOk, untilServing } from './health.ts';
import { loopbackUrl } from './house.ts';
import type { House } from './house.ts';
import type { NodeProgram } from './node-process.ts';
import { replicaName, replicaNumbers } from './replicas.ts';

/** A program that runs until it is stopped, and how to tell that it is ready. */
export interface Service {
  readonly program: NodeProgram;
  readonly ready: (signal: AbortSignal) => Promise<void>;
}

/** The development profile: what tenants aim at this machine's loopback addresses is let through. */
const EGRESS_ALLOW = '127.0.0.0/8,::1';

/** Short, so that Ctrl-C ends everything within seconds. */
const SHUTDOWN_GRACE_MS = 3_000;

/** Where several gateways run, the balancer notices within a fraction of this that one of them stops. */
const DRAIN_DELAY_MS = 1_000;

/** What a program needs to end beside that. */
const EXIT_MS = 2_000;

/** HTTP/1.1 and gRPC address of a service, of its first replica unless told otherwise. */
export function addressesOf(house: House, name: ServiceName, replica = 1): { http: string; grpc: string } {
  return {
    http: loopbackUrl(portOf(house, name, '', replica)),
    grpc: loopbackUrl(portOf(house, name, 'Grpc', replica)),
  };
}

/** Address of the admin port of the gateway or a service (of its first replica): metrics, liveness. */
export function adminAddressOf(house: House, name: ServiceName | 'gateway'): string {
  return loopbackUrl(house.ports[`${name}Admin`]);
}

/** The ports on which the gateways listen. A single one has the port of the base URL. */
export function gatewayPorts({ replicas, gatewayPort, ports }: House): readonly number[] {
  if (replicas.gateway === 1) return [gatewayPort];
  return replicaNumbers(replicas, 'gateway').map((replica) => ports[`gateway-${replica}`] ?? absent(replica));
}

function absent(replica: number): never {
  throw new Error(`The gateway has no replica ${String(replica)}.`);
}

/** How long a gateway goes on after it was asked to stop, in milliseconds: not at all where nobody could take over. */
function drainDelayMs({ replicas, childEnvironment }: House): number {
  if (replicas.gateway === 1) return 0;
  return Number(childEnvironment['DRAIN_DELAY_MS'] ?? DRAIN_DELAY_MS);
}

function portOf(house: House, name: ServiceName, kind: '' | 'Grpc' | 'Admin', replica: number): number {
  const port = replica === 1 ? house.ports[`${name}${kind}`] : house.ports[`${name}${kind}-${replica}`];
  if (port === undefined) throw new Error(`${name} has no replica ${String(replica)}`);
  return port;
}

/** The addresses of all replicas of a service, for those who call it. */
function peersOf(house: House, name: ServiceName): string {
  const port = house.childEnvironment['RPC_TRANSPORT'] === 'grpc' ? 'grpc' : 'http';
  return replicaNumbers(house.replicas, name)
    .map((replica) => addressesOf(house, name, replica)[port])
    .join(',');
}

/** One replica of one of the services behind the gateway. */
export function rpcService(house: House, name: ServiceName, replica: number, mongodbUri: string): Service {
  const ports = {
    PORT: String(portOf(house, name, '', replica)),
    GRPC_PORT: String(portOf(house, name, 'Grpc', replica)),
    ADMIN_PORT: String(portOf(house, name, 'Admin', replica)),
  };
  const program = serviceProgram(house, name, 'main.ts', [], {
    ...serverEnvironment(house, name),
    ...ports,
    MONGODB_URI: mongodbUri,
    ...peerAddresses(house, SERVICES.find((service) => service.name === name)?.asks ?? []),
    ...ownEnvironment(house)[name],
  });
  const own = replicaName(name, replica);
  return {
    program: { ...program, name: own, logFile: house.data.logFile(own) },
    ready: (signal) => untilServing(addressesOf(house, name, replica).http, signal),
  };
}

/** One replica of the gateway. */
export function gateway(house: House, replica: number, mongodbUri: string): Service {
  const port = gatewayPorts(house)[replica - 1] ?? absent(replica);
  const adminPort =
    replica === 1 ? house.ports.gatewayAdmin : (house.ports[`gatewayAdmin-${replica}`] ?? absent(replica));
  const delayMs = drainDelayMs(house);
  const program = serviceProgram(house, 'gateway', 'main.ts', [], {
    ...serverEnvironment(house, 'gateway'),
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    DRAIN_DELAY_MS: String(delayMs),
    MONGODB_URI: mongodbUri,
    PUBLIC_URL: loopbackUrl(house.gatewayPort),
    ...peerAddresses(house, SERVICE_NAMES),
    SEALING_KEYS: house.secrets.gatewaySealingKeys,
    OPERATOR_KEY: house.secrets.operatorKey,
  });
  const own = replicaName('gateway', replica);
  return {
    program: {
      ...program,
      name: own,
      logFile: house.data.logFile(own),
      stopGraceMs: delayMs + SHUTDOWN_GRACE_MS + EXIT_MS,
    },
    ready: (signal) => untilOk(`${loopbackUrl(port)}/readyz`, signal),
  };
}

/** The command that seeds the two accounts and keeps their secrets in the data folder. */
export function seedTask(house: House, mongodbUri: string): NodeProgram {
  const task = serviceProgram(house, 'gateway', 'seed.ts', ['--file', house.data.seedFile], {
    MONGODB_URI: mongodbUri,
    NATS_URL: house.natsUrl,
  });
  return { ...task, name: 'seed', logFile: house.data.logFile('seed') };
}

/** The command that compiles the connectors' manifests into the catalogue that the catalog service reads. */
export function compileTask(house: House): NodeProgram {
  const script = join(house.root, 'packages', 'connector-model', 'src', 'cli.ts');
  const connectors = join(house.root, 'connectors');
  return {
    name: 'catalogue',
    args: [script, '--connectors', connectors, '--out', house.data.catalogueFile],
    env: house.childEnvironment,
    cwd: house.root,
    logFile: house.data.logFile('catalogue'),
  };
}

function serviceProgram(
  house: House,
  name: ServiceName | 'gateway',
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): NodeProgram {
  return {
    name,
    args: [join(house.root, 'services', name, 'src', script), ...args],
    env: { ...house.childEnvironment, ...env },
    cwd: house.root,
    logFile: house.data.logFile(name),
  };
}

function serverEnvironment(house: House, name: ServiceName | 'gateway'): Readonly<Record<string, string>> {
  return {
    HOST: '127.0.0.1',
    ADMIN_PORT: String(house.ports[`${name}Admin`]),
    CALLER_CONTEXT_KEYS: house.secrets.callerContextKeys,
    SHUTDOWN_GRACE_MS: String(SHUTDOWN_GRACE_MS),
    NATS_URL: house.natsUrl,
    EGRESS_ALLOW,
  };
}

function peerAddresses(house: House, names: readonly ServiceName[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [addressVariable(name), peersOf(house, name)]));
}

/** What only one service reads. */
function ownEnvironment(house: House): Readonly<Partial<Record<ServiceName, Record<string, string>>>> {
  const { connectorClient } = house.secrets.sandboxCrm;
  const sandboxCrm = { baseUrl: loopbackUrl(house.ports.sandboxCrm) };
  return {
    catalog: {
      CATALOGUE_PATH: house.data.catalogueFile,
      CONNECTOR_SETTINGS: JSON.stringify({ 'sandbox-crm': sandboxCrm }),
    },
    connections: {
      PUBLIC_URL: loopbackUrl(house.gatewayPort),
      SEALING_KEYS: house.secrets.sealingKeys,
      // By authenticationId: the sign-in and the client-credentials method.
      CONNECTOR_OAUTH_CLIENTS: JSON.stringify({ 'sandbox-crm': { 0: connectorClient, 2: connectorClient } }),
    },
  };
}
