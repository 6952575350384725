import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { REPLICA_SET, becomePrimary } from '@fairlead/replica-set/replica-set';
import { startServer } from './local-server.ts';
import type { LocalServer, ServerPlace } from './local-server.ts';
import { findMongod } from './mongod-binary.ts';
import type { FindMongodOptions } from './mongod-binary.ts';
import { freePort, isPortFree, waitForPort } from './ports.ts';

/** Where mongod works, and how it is found. */
export interface StartMongodOptions extends FindMongodOptions, ServerPlace {}

/** A mongod that this process started. */
export interface RunningMongod extends LocalServer {
  readonly uri: string;
}

const START_TIMEOUT_MS = 60_000;
/** Far above what a transaction of a service takes; the driver repeats one that is aborted. mongod looks each 5 s. */
const TRANSACTION_SECONDS = 10;

/**
 * Starts mongod as a one-node replica set on 127.0.0.1 and resolves once it takes writes.
 *
 * Finds or fetches the binary first ({@link findMongod}). Data of an earlier run is reused, also when
 * that run was killed or listened on another port. Rejects with mongod's own reason when it ends instead.
 */
export async function startMongod(options: StartMongodOptions): Promise<RunningMongod> {
  const binary = await findMongod(options);
  const port = options.port ?? (await freePort());
  // Checked here because the readiness probe would otherwise talk to another server, and reconfigure it.
  if (!(await isPortFree(port))) throw new Error(`mongod's port ${String(port)} is in use`);
  const database = join(options.dataDirectory, 'db');
  await mkdir(database, { recursive: true, mode: 0o700 });
  const logFile = options.logFile ?? join(options.dataDirectory, 'mongod.log');
  const address = `127.0.0.1:${String(port)}`;
  const server = await startServer({
    name: 'mongod',
    command: binary.path,
    args: mongodArguments(database, port),
    port,
    logFile,
    timeoutMs: START_TIMEOUT_MS,
    async untilReady(_server, signal) {
      await waitForPort(port, signal);
      await becomePrimary({ address, member: address, signal });
    },
    reasonIn,
    signal: options.signal,
  });
  return { ...server, uri: `mongodb://${address}/?replicaSet=${REPLICA_SET}` };
}

function mongodArguments(database: string, port: number): readonly string[] {
  return [
    ['--dbpath', database],
    ['--port', String(port)],
    ['--bind_ip', '127.0.0.1'],
    ['--nounixsocket'],
    ['--replSet', REPLICA_SET],
    // Sized for a development machine: the default cache is half of the machine's memory, the default oplog 5 % of its disk.
    ['--wiredTigerCacheSizeGB', '0.25'],
    ['--oplogSize', '128'],
    ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // Nobody else can take over from a single node, so waiting for it at shutdown serves nothing.
    ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=0'],
    // A process that is killed in a transaction leaves it open, and whoever wants its documents waits: 90 s by default.
    ['--setParameter', `transactionLifetimeLimitSeconds=${String(TRANSACTION_SECONDS)}`],
  ].flat();
}

/** The message of the first error that mongod logged, with the attributes that explain it. */
function reasonIn(lines: readonly string[]): string | undefined {
  const grave = lines.map(parseLogLine).filter((entry) => entry?.s === 'E' || entry?.s === 'F');
  return grave.map((entry) => entry?.attr?.error ?? entry?.msg).find((text) => text !== undefined);
}

interface MongodLogLine {
  readonly s?: string;
  readonly msg?: string;
  readonly attr?: { readonly error?: string };
}

function parseLogLine(line: string): MongodLogLine | undefined {
  try {
    return JSON.parse(line) as MongodLogLine; // structured log, documented by MongoDB; every member read is optional
  } catch {
    return undefined;
  }
}
