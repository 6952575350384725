import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMongod } from '@fairlead/local-stores/mongod';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import { startBalancer } from '@fairlead/launcher/balancer';
import { openDataDirectory } from '@fairlead/launcher/data-directory';
import { readSeed } from '@fairlead/launcher/dev-file';
import type { SeededAccounts } from '@fairlead/launcher/dev-file';
import { loopbackUrl } from '@fairlead/launcher/launch-plan';
import type { LaunchPlan } from '@fairlead/launcher/launch-plan';
import { childEnvironment, runTask, startService } from '@fairlead/launcher/node-process';
import { gatewayPort, planPorts } from '@fairlead/launcher/port-plan';
import { sandboxCrm } from '@fairlead/launcher/samples';
import { openSecrets } from '@fairlead/launcher/secrets';
import { compileTask, gateway, gatewayPorts, rpcService, seedTask } from '@fairlead/launcher/services';
import type { Service } from '@fairlead/launcher/services';
import { SERVICE_NAMES, forEachService } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';

const OLDER_ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A process that can be stopped and started again. */
interface RestartableProcess {
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** One release of the product: a gateway, and a replica of each service. */
export interface Release {
  readonly root: string;
  /** Address of its own gateway. */
  readonly baseUrl: string;
  /** HTTP/1.1 address of its replica of a service. */
  addressOf(service: ServiceName): string;
  /** Address of that replica's admin port. */
  adminAddressOf(service: ServiceName): string;
  /** Starts its processes, the services before the gateway. */
  start(): Promise<void>;
  /** Stops a replica gracefully, like an orchestrator. */
  stop(name: ServiceName | 'gateway'): Promise<void>;
  /** Stops a replica gracefully, if it runs, and starts it again. */
  restart(name: ServiceName | 'gateway'): Promise<void>;
}

/**
 * Two releases on the same stores, which know both replicas of each service, with a balancer in front of their gateways. Neither is running
 * yet.
 */
export interface Installation {
  /** Address of the balancer. */
  readonly baseUrl: string;
  readonly older: Release;
  readonly newer: Release;
  readonly mongodbUri: string;
  readonly callerContextKeys: string;
  /** The token that the sample vendor accepts. */
  readonly apiToken: string;
  readonly accounts: SeededAccounts;
  close(): Promise<void>;
}

/** Creates an installation whose older release is this tree and whose newer one is the tree at `newerRoot`. */
export async function openInstallation(newerRoot: string): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-releases-'));
  const stops: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.toReversed()) await stop();
    await rm(folder, { recursive: true, force: true });
  };
  const keep = async (service: Service): Promise<RestartableProcess> => {
    const kept = await startKept(service);
    stops.push(() => kept.stop());
    return kept;
  };
  try {
    const data = await openDataDirectory(folder);
    const replicas = { ...forEachService(() => 2), gateway: 2 };
    const ports = await planPorts(data.portsFile, replicas);
    const mongod = await startMongod({ dataDirectory: data.mongod, port: ports.mongod });
    stops.push(() => mongod.stop());
    const nats = await startNatsServer({ dataDirectory: data.nats, port: ports.nats });
    stops.push(() => nats.stop());
    const plan: LaunchPlan = {
      root: OLDER_ROOT,
      data,
      ports,
      replicas,
      gatewayPort: await gatewayPort(0, { planned: new Set(Object.values(ports)), report: () => undefined }),
      natsUrl: nats.url,
      secrets: await openSecrets(data.secretsFile),
      childEnvironment: childEnvironment(process.env, data.compileCache),
    };
    const newerPlan: LaunchPlan = {
      ...plan,
      root: newerRoot,
      data: { ...data, logFile: (name) => data.logFile(`newer-${name}`) },
    };
    const balancer = await startBalancer({ port: plan.gatewayPort, targets: gatewayPorts(plan) });
    stops.push(() => balancer.stop());
    const { signal } = new AbortController();
    await runTask(compileTask(plan), signal);
    await keep(sandboxCrm(plan));
    await runTask(seedTask(plan, mongod.uri), signal);
    return {
      baseUrl: loopbackUrl(plan.gatewayPort),
      older: releaseOf(plan, 1, mongod.uri, keep),
      newer: releaseOf(newerPlan, 2, mongod.uri, keep),
      mongodbUri: mongod.uri,
      callerContextKeys: plan.secrets.callerContextKeys,
      apiToken: plan.secrets.sandboxCrm.apiToken,
      accounts: await readSeed(data.seedFile),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function releaseOf(
  plan: LaunchPlan,
  replica: 1 | 2,
  mongodbUri: string,
  keep: (service: Service) => Promise<RestartableProcess>,
): Release {
  const running = new Map<ServiceName | 'gateway', RestartableProcess>();
  const addressOf = (name: ServiceName, kind: '' | 'Admin'): string => {
    const port = replica === 1 ? plan.ports[`${name}${kind}`] : plan.ports[`${name}${kind}-${replica}`];
    if (port === undefined) throw new Error(`${name} has no replica ${String(replica)}`);
    return loopbackUrl(port);
  };
  const keptOf = (name: ServiceName | 'gateway'): RestartableProcess => {
    const kept = running.get(name);
    if (kept === undefined) throw new Error(`${name} is not running`);
    return kept;
  };
  const port = gatewayPorts(plan)[replica - 1];
  if (port === undefined) throw new Error(`The gateway has no replica ${String(replica)}`);
  return {
    root: plan.root,
    baseUrl: loopbackUrl(port),
    addressOf: (name) => addressOf(name, ''),
    adminAddressOf: (name) => addressOf(name, 'Admin'),
    async start() {
      for (const name of SERVICE_NAMES)
        running.set(name, await keep(rpcService(plan, name, replica, mongodbUri)));
      running.set('gateway', await keep(gateway(plan, replica, mongodbUri)));
    },
    stop: (name) => keptOf(name).stop(),
    restart: (name) => keptOf(name).restart(),
  };
}

async function startKept({ program, ready }: Service): Promise<RestartableProcess> {
  const { signal } = new AbortController();
  let running = await startService(program, { isRestart: false, signal, ready });
  return {
    stop: async () => void (await running.stop()),
    async restart() {
      await running.stop();
      running = await startService(program, { isRestart: true, signal, ready });
    },
  };
}
