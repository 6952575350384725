import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from './local-process.ts';
import type { LocalProcess, ProcessOptions } from './local-process.ts';
import { freePort } from './ports.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { openCluster } from './postgres-cluster.ts';
import type { Cluster, ClusterLogin } from './postgres-cluster.ts';
import { firstReachable, createOpenFolder, userInsteadOfRoot } from './unprivileged-user.ts';
import type { SystemUser } from './unprivileged-user.ts';

export interface StartPostgresOptions {
  /** Folder for data and log; created if missing; existing data is used. */
  readonly dataDirectory: string;
  /** TCP port on 127.0.0.1; default: any free one. */
  readonly port?: number;
  /** SQL that runs once in the new database, as its owner; statements end with `;` and a blank line. */
  readonly initialSql?: string;
  /** File for the server's log; default: a file in the data folder. */
  readonly logFile?: string;
  readonly log?: (line: string) => void;
  /** Aborting ends a running start. */
  readonly signal?: AbortSignal;
}

/** A PostgreSQL server that this process started, with the login to its one database. */
export interface RunningPostgres extends ClusterLogin {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process has ended, for any reason. */
  readonly exited: LocalProcess['exited'];
  stop(): Promise<void>;
}

/** Folder for the data if root's own folder is closed to the user that runs PostgreSQL. */
const SYSTEM_DATA = '/var/lib/fairlead';
const START_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 25;
const READY_LINE = 'database system is ready to accept connections';

/**
 * Starts PostgreSQL on 127.0.0.1; resolves once it answers queries. PostgreSQL refuses to run as root, so root starts it as the user
 * `postgres` or `nobody`. Uses data of an earlier run, even if that run was killed. Rejects with the server's own reason if it ends.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<RunningPostgres> {
  const user = await userInsteadOfRoot();
  const binaries = await postgresBinaries(user);
  const home = await homeFor(options, user);
  const cluster = await openCluster({
    binaries,
    home,
    user,
    initialSql: options.initialSql ?? '',
    signal: options.signal,
  });
  const port = options.port ?? (await freePort());
  const logFile = options.logFile ?? join(home, 'postgres.log');
  const server = await startReady(logFile, options.signal, {
    command: join(binaries, 'bin', 'postgres'),
    args: serverArguments(cluster, port),
    env: cluster.environment,
    cwd: cluster.directory,
    // A "fast" shutdown rolls back running queries and does not wait for clients.
    stopSignal: 'SIGINT',
    ...(user === undefined ? {} : { user }),
  });
  const { login } = cluster;
  return {
    ...login,
    url: `postgresql://${login.user}:${login.password}@127.0.0.1:${String(port)}/${login.database}`,
    port,
    pid: server.pid,
    logFile,
    exited: server.exited,
    stop: async () => {
      await server.stop();
    },
  };
}

async function homeFor(options: StartPostgresOptions, user: SystemUser | undefined): Promise<string> {
  const directory = resolve(options.dataDirectory);
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const home = await firstReachable([directory, join(SYSTEM_DATA, `postgres-${name}`)], user);
  if (home === undefined) throw new Error(`${SYSTEM_DATA} is closed to the user ${user?.name ?? ''}`);
  if (home !== directory) {
    options.log?.(
      `PostgreSQL keeps its data in ${home}: its user ${user?.name ?? ''} cannot reach ${directory}`,
    );
  }
  await createOpenFolder(home);
  await chmod(home, 0o755);
  return home;
}

function serverArguments(cluster: Cluster, port: number): readonly string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // Settings of a sample vendor: few clients, little memory, no unneeded processes.
    max_connections: '20',
    shared_buffers: '16MB',
    io_method: 'sync',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
  };
  return [
    '-D',
    cluster.directory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** The message of a server while processes of its killed predecessor still run. */
const PREDECESSOR_ENDS = 'pre-existing shared memory block';

/** Starts the server and waits until it accepts connections. If processes of a killed server still run, waits for their end first. */
async function startReady(
  logFile: string,
  signal: AbortSignal | undefined,
  command: Omit<ProcessOptions, 'logFile'>,
): Promise<LocalProcess> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const server = await startProcess({ ...command, logFile });
    try {
      await untilReady(server, logFile, signal);
      return server;
    } catch (error) {
      const isEnding = error instanceof Error && error.message.includes(PREDECESSOR_ENDS);
      if (!isEnding || Date.now() > deadline) throw error;
    }
    await delay(READY_POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
}

async function untilReady(server: LocalProcess, logFile: string, signal?: AbortSignal): Promise<void> {
  const ended = { is: false };
  void server.exited.then(() => (ended.is = true));
  const deadline = Date.now() + START_TIMEOUT_MS;
  try {
    for (;;) {
      const log = await readFile(logFile, 'utf8');
      if (log.includes(READY_LINE)) return;
      if (ended.is) throw new Error(`PostgreSQL ended: ${lastWords(log)} (${logFile})`);
      if (Date.now() > deadline) throw new Error(`PostgreSQL was not ready in time (${logFile})`);
      await delay(READY_POLL_MS, undefined, signal === undefined ? {} : { signal });
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function lastWords(log: string): string {
  const lines = log.trim().split('\n');
  return lines.findLast((line) => /(?:FATAL|ERROR|PANIC):/.test(line)) ?? lines.at(-1) ?? 'no output';
}
