import { randomInt } from 'node:crypto';
import { isPortFree } from '@fairlead/local-stores/ports';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { z } from 'zod';
import { DEFAULT_PORT } from './arguments.ts';
import { readJson, writePrivateJson } from './json-file.ts';
import { ONE_OF_EACH, replicaNumbers } from './replicas.ts';
import type { Replicas } from './replicas.ts';

const PORT_KINDS = ['', 'Grpc', 'Admin'] as const;

const GATEWAY_KINDS = ['Admin', 'Rpc', 'Grpc'] as const;

const OTHER_LISTENERS = [
  'mongod',
  'nats',
  'postgres',
  'sandboxCrm',
  'mcpServer',
  ...GATEWAY_KINDS.map((kind) => `gateway${kind}` as const),
] as const;

/** The name of a listener of an instance, except the gateway. */
export type Listener = (typeof OTHER_LISTENERS)[number] | `${ServiceName}${(typeof PORT_KINDS)[number]}`;

const LISTENERS: readonly Listener[] = [
  ...OTHER_LISTENERS,
  ...SERVICE_NAMES.flatMap((name) => PORT_KINDS.map((kind) => `${name}${kind}` as const)),
];

/**
 * A port of a service's second or later replica: `tools-2`, `toolsGrpc-2`, `toolsAdmin-2`. With several gateways, the
 * balancer listens on the gateway's port, and the first gateway has a port of this kind, too: `gateway-1`.
 */
export type ReplicaListener =
  | `${ServiceName}${(typeof PORT_KINDS)[number]}-${number}`
  | `gateway${'' | (typeof GATEWAY_KINDS)[number]}-${number}`;

/** The TCP port on 127.0.0.1 of each listener. */
export type PortPlan = Readonly<Record<Listener, number> & Partial<Record<ReplicaListener, number>>>;

// Below the range of outgoing connections' ports, so that a restarted process finds its port free.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const TRIES = 1_000;
const NEIGHBOURS = 100;

/** Free ports for all listeners; those of the last start where still free. */
export async function planPorts(file: string, replicas: Replicas = ONE_OF_EACH): Promise<PortPlan> {
  const kept = z.record(z.string(), z.number().int()).safeParse(await readJson(file));
  const taken = new Set<number>();
  const ports: [Listener | ReplicaListener, number][] = [];
  for (const listener of [...LISTENERS, ...replicaListeners(replicas)]) {
    const last = kept.data?.[listener];
    const port =
      last !== undefined && !taken.has(last) && (await isPortFree(last)) ? last : await pick(taken);
    taken.add(port);
    ports.push([listener, port]);
  }
  const plan = Object.fromEntries(ports) as PortPlan; // one entry for each of LISTENERS, created right above
  // Includes ports of an earlier start's replicas, because these may come back.
  await writePrivateJson(file, { ...kept.data, ...plan });
  return plan;
}

function replicaListeners(replicas: Replicas): readonly ReplicaListener[] {
  const services = SERVICE_NAMES.flatMap((service) =>
    replicaNumbers(replicas, service)
      .slice(1)
      .flatMap((replica) => PORT_KINDS.map((kind) => `${service}${kind}-${replica}` as const)),
  );
  if (replicas.gateway === 1) return services;
  const gateways = replicaNumbers(replicas, 'gateway');
  return [
    ...services,
    ...gateways.map((replica) => `gateway-${replica}` as const),
    ...gateways
      .slice(1)
      .flatMap((replica) => GATEWAY_KINDS.map((kind) => `gateway${kind}-${replica}` as const)),
  ];
}

/**
 * The port of the base URL: the wanted one, for 0 any free port that is not planned, and by default 8080 or the next
 * free port.
 *
 * Rejects when a wanted port is in use; reports when 8080 is.
 */
export async function gatewayPort(
  configured: number | undefined,
  o: { readonly planned: ReadonlySet<number | undefined>; readonly report: (line: string) => void },
): Promise<number> {
  if (configured === 0) return pick(o.planned);
  if (configured !== undefined) {
    if (await isPortFree(configured)) return configured;
    throw new Error(`port ${String(configured)} is in use; choose another with --port`);
  }
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + NEIGHBOURS; port += 1) {
    if (!(await isPortFree(port))) continue;
    if (port !== DEFAULT_PORT) o.report(`Port ${String(DEFAULT_PORT)} is in use, taking ${String(port)}`);
    return port;
  }
  throw new Error(
    `port ${String(DEFAULT_PORT)} and the next ${String(NEIGHBOURS)} are in use; choose one with --port`,
  );
}

async function pick(taken: ReadonlySet<number | undefined>): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (!taken.has(port) && (await isPortFree(port))) return port;
  }
  throw new Error(`no free port from ${String(LOWEST_PORT)} to ${String(HIGHEST_PORT)} on 127.0.0.1`);
}
