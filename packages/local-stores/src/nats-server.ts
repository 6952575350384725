import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from './local-process.ts';
import type { LocalProcess } from './local-process.ts';
import { findNatsServer } from './nats-server-binary.ts';
import type { FindNatsServerOptions } from './nats-server-binary.ts';
import { freePort, isPortFree } from './ports.ts';

/** What {@link startNats} needs. */
export interface StartNatsOptions extends FindNatsServerOptions {
  /** Folder for the streams' files and the log; made when absent, reused when it holds data. */
  readonly dataDirectory: string;
  /** TCP port on 127.0.0.1; any free one when absent. */
  readonly port?: number;
  /** Takes the server's log; a file in the data folder when absent. */
  readonly logFile?: string;
}

/** A nats-server that this process started. */
export interface RunningNats {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process has ended, for whatever reason. */
  readonly exited: LocalProcess['exited'];
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 20;

/**
 * Starts nats-server with JetStream on 127.0.0.1, its streams in files, and resolves once it takes clients.
 *
 * Finds or fetches the binary first ({@link findNatsServer}). Streams of an earlier run are there again, also when that
 * run was killed. Rejects with the server's own words when it ends instead.
 */
export async function startNats(options: StartNatsOptions): Promise<RunningNats> {
  const binary = await findNatsServer(options);
  const port = options.port ?? (await freePort());
  if (!(await isPortFree(port))) throw new Error(`nats-server's port ${String(port)} is in use`);
  await mkdir(options.dataDirectory, { recursive: true, mode: 0o700 });
  const logFile = options.logFile ?? join(options.dataDirectory, 'nats-server.log');
  const portsFolder = join(options.dataDirectory, 'ports');
  // The server writes a file here when it takes clients; one of an earlier run would signal it too early.
  await rm(portsFolder, { recursive: true, force: true });
  await mkdir(portsFolder);
  const configFile = join(options.dataDirectory, 'nats-server.conf');
  await writeFile(configFile, serverConfig(options.dataDirectory, portsFolder, port));
  const server = await startProcess({
    command: binary.path,
    args: ['--config', configFile],
    env: process.env,
    logFile,
  });
  try {
    await untilReady({ server, portsFolder, logFile, signal: options.signal });
    // It may be ready before anybody looked at the signal.
    options.signal?.throwIfAborted();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url: `nats://127.0.0.1:${String(port)}`,
    port,
    pid: server.pid,
    logFile,
    exited: server.exited,
    stop: async () => {
      await server.stop();
    },
  };
}

/** The format's strings are those of JSON. */
function serverConfig(dataDirectory: string, portsFolder: string, port: number): string {
  const settings = [
    `listen: ${JSON.stringify(`127.0.0.1:${String(port)}`)}`,
    `ports_file_dir: ${JSON.stringify(portsFolder)}`,
    // Sized for a development machine: without limits the server takes three quarters of memory and disk for its own.
    `jetstream { store_dir: ${JSON.stringify(join(dataDirectory, 'streams'))}, max_memory_store: 64MB, max_file_store: 4GB }`,
  ];
  return `${settings.join('\n')}\n`;
}

/** Waits for the server to take clients, but fails with its last words when it ends meanwhile. */
async function untilReady(o: {
  server: LocalProcess;
  portsFolder: string;
  logFile: string;
  signal: AbortSignal | undefined;
}): Promise<void> {
  const portsFile = join(o.portsFolder, `nats-server_${String(o.server.pid)}.ports`);
  const decided = new AbortController();
  const ended = o.server.exited.then(async ({ code, signal }) => {
    const how = code === null ? (signal ?? '') : `code ${String(code)}`;
    throw new Error(`nats-server ended (${how}): ${await lastWords(o.logFile)}`);
  });
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  const signals = [timeout, decided.signal, ...(o.signal === undefined ? [] : [o.signal])];
  const ready = async (signal: AbortSignal): Promise<void> => {
    while (!(await isWritten(portsFile))) await delay(READY_POLL_MS, undefined, { signal });
  };
  try {
    await Promise.race([ready(AbortSignal.any(signals)), ended]);
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new Error(`nats-server was not ready within ${String(START_TIMEOUT_MS / 1_000)} s (${o.logFile})`, {
      cause: error,
    });
  } finally {
    decided.abort();
  }
}

async function isWritten(file: string): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')).trimEnd().endsWith('}');
}

/** The last line of the log that reports an error. */
async function lastWords(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  const grave = lines.findLast((line) => /\[(FTL|ERR)\]|^nats-server: /.test(line));
  const reason = (grave ?? lines.at(-1) ?? '').replace(/^.*\[(FTL|ERR)\] /, '');
  return `${reason === '' ? 'no output' : reason} (${logFile})`;
}
