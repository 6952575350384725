import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from './local-process.ts';
import type { LocalProcess } from './local-process.ts';
import { findMongod } from './mongod-binary.ts';
import type { FindMongodOptions } from './mongod-binary.ts';
import { freePort, isPortFree, waitForPort } from './ports.ts';
import { REPLICA_SET, becomePrimary } from './replica-set.ts';

/** What {@link startMongod} needs. */
export interface StartMongodOptions extends FindMongodOptions {
  /** Folder for data and log; made when absent, reused when it holds data. */
  readonly dataDirectory: string;
  /** TCP port on 127.0.0.1; any free one when absent. */
  readonly port?: number;
  /** Takes the server's log; a file in the data folder when absent. */
  readonly logFile?: string;
}

/** A mongod that this process started. */
export interface RunningMongod {
  readonly uri: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process has ended, for whatever reason. */
  readonly exited: LocalProcess['exited'];
  stop(): Promise<void>;
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
  const server = await startProcess({
    command: binary.path,
    args: mongodArguments(database, port),
    env: process.env,
    logFile,
  });
  try {
    await untilReady({ server, port, logFile, signal: options.signal });
    // It may be ready before anybody looked at the signal.
    options.signal?.throwIfAborted();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    uri: `mongodb://127.0.0.1:${String(port)}/?replicaSet=${REPLICA_SET}`,
    port,
    pid: server.pid,
    logFile,
    exited: server.exited,
    stop: async () => {
      await server.stop();
    },
  };
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

/** Waits for the server to take writes, but fails with its last words when it ends meanwhile. */
async function untilReady(o: {
  server: LocalProcess;
  port: number;
  logFile: string;
  signal: AbortSignal | undefined;
}): Promise<void> {
  const { server, port, logFile } = o;
  const address = `127.0.0.1:${String(port)}`;
  const ended = server.exited.then(async ({ code, signal }) => {
    const how = code === null ? (signal ?? '') : `code ${String(code)}`;
    throw new Error(`mongod ended (${how}): ${await lastWords(logFile)}`);
  });
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  const decided = new AbortController();
  const ready = async (signal: AbortSignal): Promise<void> => {
    try {
      await waitForPort(port, signal);
      await becomePrimary({ address, member: address, signal });
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new Error(`mongod was not ready within ${String(START_TIMEOUT_MS / 1_000)} s (${logFile})`, {
        cause: error,
      });
    }
  };
  try {
    const signals = [timeout, decided.signal, ...(o.signal === undefined ? [] : [o.signal])];
    await Promise.race([ready(AbortSignal.any(signals)), ended]);
  } finally {
    decided.abort();
  }
}

/** The message of the last error that mongod logged, with the attributes that explain it. */
async function lastWords(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  const grave = lines.map(parseLogLine).filter((entry) => entry?.s === 'E' || entry?.s === 'F');
  const reason = grave.map((entry) => entry?.attr?.error ?? entry?.msg).find((text) => text !== undefined);
  return `${reason ?? lines.at(-1) ?? 'no output'} (${logFile})`;
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
