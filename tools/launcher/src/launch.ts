import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEFT_OUT } from '@fairlead/connector-model/left-out';
import { storeSettings } from '@fairlead/local-stores/config';
import { startMongod } from '@fairlead/local-stores/mongod';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import { startPostgres } from '@fairlead/local-stores/postgres';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { startBalancer } from './balancer.ts';
import type { Report } from './console-report.ts';
import { openDataDirectory } from './data-directory.ts';
import { readSeed, removeDevFile, writeDevFile } from './dev-file.ts';
import type { DevFile } from './dev-file.ts';
import { untilOk } from './health.ts';
import { loopbackUrl } from './launch-plan.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { claimInstance } from './instance.ts';
import type { Instance } from './instance.ts';
import { createLayers } from './layers.ts';
import type { Layer } from './layers.ts';
import { childEnvironment, runTask, startService } from './node-process.ts';
import { gatewayPort, planPorts } from './port-plan.ts';
import { SAMPLE_SQL } from './sample-database.ts';
import { mcpServer, mcpServerUrl, sandboxCrm } from './samples.ts';
import { openSecrets } from './secrets.ts';
import { replicaNumbers } from './replicas.ts';
import type { Replicas } from './replicas.ts';
import {
  addressesOf,
  adminAddressOf,
  compileTask,
  gateway,
  gatewayPorts,
  rpcService,
  seedTask,
} from './services.ts';
import type { Service } from './services.ts';
import { supervise } from './supervisor.ts';
import type { Runnable, SupervisionOptions } from './supervisor.ts';

/** The instance that {@link launch} starts. */
export interface LaunchOptions {
  /** Port of the base URL; 0 takes any free port, undefined 8080 or the next free port. */
  readonly port: number | undefined;
  /** Absolute path of the folder that holds everything of the instance. */
  readonly data: string;
  /** Number of processes of each service. */
  readonly replicas: Replicas;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: Report;
  /** Aborting ends a launch in progress. */
  readonly signal: AbortSignal;
}

/** A running, healthy stack. */
export interface Stack {
  /** The content of `dev.json`. */
  readonly dev: DevFile;
  readonly devFile: string;
  /** Stops everything in reverse order and removes `dev.json`. */
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Seconds pass between choosing and using a port, so another program may take it. */
const ATTEMPTS = 3;

/** Messages of Node, mongod, nats-server and PostgreSQL about a port that is in use. */
const PORT_IN_USE = /EADDRINUSE|address already in use/i;

/**
 * Starts everything on this machine and resolves when all of it is healthy and `dev.json` is written.
 *
 * A process that dies later is restarted on the same port. If another program takes a chosen port during the start,
 * everything is started once more on ports that are free then. Rejects, with nothing left running, if a part
 * does not start or the signal aborts; the message is one line for people.
 */
export async function launch(o: LaunchOptions): Promise<Stack> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnce(o);
    } catch (error) {
      const isPortTaken = error instanceof Error && PORT_IN_USE.test(error.message);
      if (!isPortTaken || attempt === ATTEMPTS || o.signal.aborted) throw error;
      o.report.line('Another program took a port of this start; starting again');
    }
  }
}

async function launchOnce(o: LaunchOptions): Promise<Stack> {
  const data = await openDataDirectory(o.data);
  const instance = await claimInstance(data.instanceFile, o.report.line);
  o.report.line(`Starting Fairlead; its data and logs are in ${o.data}`);
  const layers = createLayers(o.report.line);
  const stop = async (): Promise<void> => {
    await removeDevFile(data.devFile);
    await layers.stop();
    await instance.release();
  };
  try {
    await removeDevFile(data.devFile);
    const ports = await planPorts(data.portsFile, o.replicas);
    const plan: LaunchPlan = {
      root: ROOT,
      data,
      gatewayPort: await gatewayPort(o.port, {
        planned: new Set(Object.values(ports)),
        report: o.report.line,
      }),
      ports,
      replicas: o.replicas,
      natsUrl: o.environment['NATS_URL'] || `nats://127.0.0.1:${String(ports.nats)}`,
      secrets: await openSecrets(data.secretsFile),
      childEnvironment: childEnvironment(o.environment, data.compileCache),
    };
    const dev = await startAll({ ...o, plan, instance, add: layers.add });
    await writeDevFile(data.devFile, dev);
    return { dev, devFile: data.devFile, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Construction extends LaunchOptions {
  readonly plan: LaunchPlan;
  readonly instance: Instance;
  readonly add: ReturnType<typeof createLayers>['add'];
}

async function startAll(o: Construction): Promise<DevFile> {
  const { plan } = o;
  const failure = new AbortController();
  const site = { ...o, signal: AbortSignal.any([o.signal, failure.signal]) };
  const underWay: Promise<unknown>[] = [];
  /** The first failing part aborts the starts of the others. */
  const part = <T>(work: Promise<T>): Promise<T> => {
    const guarded = work.catch((error: unknown) => {
      failure.abort(error);
      throw error;
    });
    underWay.push(guarded);
    return guarded;
  };
  const services = async (): Promise<string> => {
    const [mongodbUri] = await Promise.all([
      part(startMongo(site)),
      part(startMessaging(site)),
      part(compileCatalogue(site)),
    ]);
    site.signal.throwIfAborted();
    await Promise.all([
      part(runTask(seedTask(plan, mongodbUri), site.signal)),
      ...replicaNumbers(o.replicas, 'gateway').map((replica) =>
        part(keepService(site, 'gateway', gateway(plan, replica, mongodbUri))),
      ),
      part(keepBalancer(site)),
      ...SERVICE_NAMES.flatMap((name) =>
        replicaNumbers(o.replicas, name).map((replica) =>
          part(keepService(site, name, rpcService(plan, name, replica, mongodbUri))),
        ),
      ),
    ]);
    return mongodbUri;
  };
  try {
    const [mongodbUri, postgresUrl] = await Promise.all([
      part(services()),
      part(startSampleDatabase(site)),
      part(keepService(site, 'samples', sandboxCrm(plan))),
      part(keepService(site, 'samples', mcpServer(plan))),
    ]);
    return await describeStack(plan, { mongodbUri, postgresUrl });
  } catch (error) {
    // Parts that are starting are ended, and started parts registered, so that the caller can stop everything.
    failure.abort(error);
    await Promise.allSettled(underWay);
    // Only the first failure; later ones may be its consequences.
    throw failure.signal.reason;
  }
}

/** Without a network, only applications that need no vendor's description are served, as a line says. */
async function compileCatalogue({ plan, environment, report, signal }: Construction): Promise<void> {
  const task =
    environment['CATALOGUE_SOURCES'] === 'none'
      ? compileTask(plan)
      : compileTask(plan, {
          directory: join(storeSettings(environment).cacheDirectory, 'catalogue'),
          environment,
        });
  await runTask(task, signal);
  const output = await readFile(task.logFile, 'utf8');
  for (const line of output.split('\n')) if (line.startsWith(LEFT_OUT)) report.line(line);
}

async function startMongo(o: Construction): Promise<string> {
  const address = o.environment['MONGODB_URI'];
  if (address !== undefined && address !== '') return address;
  const logFile = o.plan.data.logFile('mongod');
  let uri = '';
  await keep(o, 'stores', {
    name: 'mongod',
    logFile,
    start: async ({ signal }) => {
      const { line, progress } = o.report;
      const dataDirectory = o.plan.data.mongod;
      const server = await startMongod({
        dataDirectory,
        port: o.plan.ports.mongod,
        logFile,
        signal,
        log: line,
        progress,
      });
      uri = server.uri;
      return server;
    },
  });
  return uri;
}

async function startMessaging(o: Construction): Promise<void> {
  if (o.environment['NATS_URL']) return;
  const logFile = o.plan.data.logFile('nats-server');
  await keep(o, 'stores', {
    name: 'nats-server',
    logFile,
    start: ({ signal }) => {
      const { line, progress } = o.report;
      const { data, ports } = o.plan;
      return startNatsServer({
        dataDirectory: data.nats,
        port: ports.nats,
        logFile,
        signal,
        log: line,
        progress,
      });
    },
  });
}

/** The sample database is a vendor to try, not part of the product: everything else runs without it. */
async function startSampleDatabase(o: Construction): Promise<string | null> {
  const logFile = o.plan.data.logFile('postgres');
  let url: string | null = null;
  try {
    await keep(o, 'samples', {
      name: 'postgres',
      logFile,
      start: async ({ signal }) => {
        const server = await startPostgres({
          dataDirectory: o.plan.data.postgres,
          port: o.plan.ports.postgres,
          initialSql: SAMPLE_SQL,
          logFile,
          signal,
          log: o.report.line,
        });
        url = server.url;
        return server;
      },
    });
  } catch (error) {
    o.signal.throwIfAborted();
    o.report.line(
      `The sample PostgreSQL is not running: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return url;
}

/** Puts one port in front of several gateways; a single gateway listens on it itself. */
async function keepBalancer(o: Construction): Promise<void> {
  const { replicas, gatewayPort: port } = o.plan;
  if (replicas.gateway === 1) return;
  const balancer = await startBalancer({ port, targets: gatewayPorts(o.plan) });
  o.add('balancer', { name: 'balancer', stop: () => balancer.stop() });
  await untilOk(`${loopbackUrl(port)}/readyz`, o.signal);
}

function keepService(o: Construction, layer: Layer, service: Service): Promise<void> {
  const { program, ready } = service;
  return keep(o, layer, {
    name: program.name,
    logFile: program.logFile,
    start: ({ isRestart, signal }) => startService(program, { isRestart, signal, ready }),
  });
}

async function keep<R extends Runnable>(
  o: Construction,
  layer: Layer,
  part: Pick<SupervisionOptions<R>, 'name' | 'logFile' | 'start'>,
): Promise<void> {
  const supervised = await supervise({
    ...part,
    onStarted: ({ pid }) => o.instance.track(pid),
    report: o.report.line,
    signal: o.signal,
  });
  o.add(layer, supervised);
}

async function describeStack(
  plan: LaunchPlan,
  stores: { mongodbUri: string; postgresUrl: string | null },
): Promise<DevFile> {
  const baseUrl = loopbackUrl(plan.gatewayPort);
  const { account, otherAccount } = await readSeed(plan.data.seedFile);
  const addresses = SERVICE_NAMES.map((name) => [name, addressesOf(plan, name)] as const);
  const { sandboxCrm: crm } = plan.secrets;
  return {
    baseUrl,
    mcpUrl: `${baseUrl}/mcp`,
    openapiUrl: `${baseUrl}/openapi.json`,
    docsUrl: `${baseUrl}/docs`,
    pid: process.pid,
    mongodbUri: stores.mongodbUri,
    natsUrl: plan.natsUrl,
    operatorKey: plan.secrets.operatorKey,
    services: Object.fromEntries(addresses.map(([name, { http }]) => [name, http])),
    grpc: Object.fromEntries(addresses.map(([name, { grpc }]) => [name, grpc])),
    admin: Object.fromEntries(
      (['gateway', ...SERVICE_NAMES] as const).map((name) => [name, adminAddressOf(plan, name)]),
    ),
    account,
    otherAccount,
    sandboxCrm: {
      url: loopbackUrl(plan.ports.sandboxCrm),
      apiKey: crm.apiToken,
      adminKey: crm.adminKey,
      user: crm.userEmail,
      password: crm.userPassword,
      oauthClientId: crm.providerClient.clientId,
      oauthClientSecret: crm.providerClient.clientSecret,
    },
    samples: { mcpServerUrl: mcpServerUrl(plan), postgresUrl: stores.postgresUrl },
  };
}
