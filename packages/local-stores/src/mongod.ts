import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { REPLICA_SET, becomePrimary } from '@fairlead/replica-set/replica-set';
import { startServer } from './local-server.ts';
import type { LocalServer, ServerPlace } from './local-server.ts';
import { findMongod } from './mongod-binary.ts';
import type { FindMongodOptions } from './mongod-binary.ts';
import { freePort, isPortFree, waitForPort } from './ports.ts';

/** Folder, port and search options of a mongod. */
export interface StartMongodOptions extends FindMongodOptions, ServerPlace {}

/** A mongod that this process started. */
export interface RunningMongod extends LocalServer {
  readonly uri: string;
}

const START_TIMEOUT_MS = 60_000;
/** Far above the duration of a service's transaction. The driver repeats an aborted transaction. mongod checks every 5 s. */
const TRANSACTION_SECONDS = 10;

/**
 * Starts mongod as a one-node replica set on 127.0.0.1; resolves once it accepts writes. Finds or fetches the binary first ({@link
 * findMongod}). Uses data of an earlier run, even if that run was killed or had another port. Rejects with mongod's own reason if it ends.
 */
export async function startMongod(options: StartMongodOptions): Promise<RunningMongod> {
  const binary = await findMongod(options);
  const port = options.port ?? (await freePort());
  // Checked here, because the readiness probe would otherwise connect to another server and reconfigure it.
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
    // For a development machine: by default, the cache takes half of the memory and the oplog 5 % of the disk.
    ['--wiredTigerCacheSizeGB', '0.25'],
    ['--oplogSize', '128'],
    ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // A single node has no successor, so the shutdown need not wait for one.
    ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=0'],
    // A process that is killed during a transaction leaves it open, and other writes to its documents wait: 90 s by default.
    ['--setParameter', `transactionLifetimeLimitSeconds=${String(TRANSACTION_SECONDS)}`],
  ].flat();
}

/** The message of mongod's first logged error, with the attributes that explain it. */
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
