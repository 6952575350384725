import { join } from 'node:path';
import { untilOk, untilServing } from './health.ts';
import { type House, loopbackUrl } from './house.ts';
import type { NodeProgram } from './node-process.ts';

/** A program that runs until it is stopped, and how to tell that it is ready. */
export interface Service {
  readonly program: NodeProgram;
  readonly ready: (signal: AbortSignal) => Promise<void>;
}

/** The development profile: what tenants aim at this machine's loopback addresses is let through. */
const EGRESS_ALLOW = '127.0.0.0/8,::1';

/** Short, so that Ctrl-C ends everything within seconds. */
const SHUTDOWN_GRACE_MS = '3000';

/** The services that speak RPC, in the order in which one uses the other. */
export const RPC_SERVICES = ['catalog', 'connections', 'tools'] as const;

/** The name of a service that speaks RPC. */
export type RpcServiceName = (typeof RPC_SERVICES)[number];

/** HTTP/1.1 and gRPC address of a service. */
export function addressesOf(house: House, name: RpcServiceName): { http: string; grpc: string } {
  return { http: loopbackUrl(house.ports[name]), grpc: loopbackUrl(house.ports[`${name}Grpc`]) };
}

/** One of the services behind the gateway. */
export function rpcService(house: House, name: RpcServiceName, mongodbUri: string): Service {
  const ports = { PORT: String(house.ports[name]), GRPC_PORT: String(house.ports[`${name}Grpc`]) };
  const program = serviceProgram(house, name, 'main.ts', [], {
    ...serverEnvironment(house),
    ...ports,
    MONGODB_URI: mongodbUri,
    ...ownEnvironment(house)[name],
  });
  return { program, ready: (signal) => untilServing(addressesOf(house, name).http, signal) };
}

/** The gateway. */
export function gateway(house: House, mongodbUri: string): Service {
  const program = serviceProgram(house, 'gateway', 'main.ts', [], {
    ...serverEnvironment(house),
    PORT: String(house.gatewayPort),
    MONGODB_URI: mongodbUri,
    PUBLIC_URL: loopbackUrl(house.gatewayPort),
    CATALOG_URL: addressesOf(house, 'catalog').http,
    CONNECTIONS_URL: addressesOf(house, 'connections').http,
    TOOLS_URL: addressesOf(house, 'tools').http,
  });
  return { program, ready: (signal) => untilOk(`${loopbackUrl(house.gatewayPort)}/readyz`, signal) };
}

/** The command that seeds the two accounts and keeps their secrets in the data folder. */
export function seedTask(house: House, mongodbUri: string): NodeProgram {
  const task = serviceProgram(house, 'gateway', 'seed.ts', ['--file', house.data.seedFile], {
    MONGODB_URI: mongodbUri,
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
  name: RpcServiceName | 'gateway',
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

function serverEnvironment(house: House): Readonly<Record<string, string>> {
  return { HOST: '127.0.0.1', CALLER_CONTEXT_KEY: house.secrets.callerContextKey, SHUTDOWN_GRACE_MS };
}

function ownEnvironment(house: House): Readonly<Record<RpcServiceName, Readonly<Record<string, string>>>> {
  const { connectorClient } = house.secrets.sandboxCrm;
  const sandboxCrm = { baseUrl: loopbackUrl(house.ports.sandboxCrm) };
  const CATALOG_URL = addressesOf(house, 'catalog').http;
  return {
    catalog: {
      CATALOGUE_PATH: house.data.catalogueFile,
      CONNECTOR_SETTINGS: JSON.stringify({ 'sandbox-crm': sandboxCrm }),
    },
    connections: {
      CATALOG_URL,
      PUBLIC_URL: loopbackUrl(house.gatewayPort),
      SEALING_KEYS: house.secrets.sealingKeys,
      // By authenticationId: the sign-in and the client-credentials method.
      CONNECTOR_OAUTH_CLIENTS: JSON.stringify({ 'sandbox-crm': { 0: connectorClient, 2: connectorClient } }),
      EGRESS_ALLOW,
    },
    tools: { CATALOG_URL, CONNECTIONS_URL: addressesOf(house, 'connections').http, EGRESS_ALLOW },
  };
}
