import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from './local-server.ts';
import type { LocalServer, ServerPlace } from './local-server.ts';
import { findNatsServer } from './nats-server-binary.ts';
import type { FindNatsServerOptions } from './nats-server-binary.ts';
import { freePort, isPortFree } from './ports.ts';

/** Folder, port and search options of a nats-server. Its streams are files in the data folder. */
export interface StartNatsOptions extends FindNatsServerOptions, ServerPlace {}

/** A nats-server that this process started. */
export interface RunningNats extends LocalServer {
  readonly url: string;
}

const START_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 20;

/**
 * Starts nats-server with JetStream on 127.0.0.1 and streams in files; resolves once it accepts clients. Finds or fetches the binary first
 * ({@link findNatsServer}). Uses streams of an earlier run, even if that run was killed. Rejects with the server's own message if it ends.
 */
export async function startNatsServer(options: StartNatsOptions): Promise<RunningNats> {
  const binary = await findNatsServer(options);
  const port = options.port ?? (await freePort());
  if (!(await isPortFree(port))) throw new Error(`nats-server's port ${String(port)} is in use`);
  await mkdir(options.dataDirectory, { recursive: true, mode: 0o700 });
  const logFile = options.logFile ?? join(options.dataDirectory, 'nats-server.log');
  const portsFolder = join(options.dataDirectory, 'ports');
  // The server writes a file here when it is ready; a file of an earlier run would be read too early.
  await rm(portsFolder, { recursive: true, force: true });
  await mkdir(portsFolder);
  const configFile = join(options.dataDirectory, 'nats-server.conf');
  await writeFile(configFile, serverConfig(options.dataDirectory, portsFolder, port));
  const server = await startServer({
    name: 'nats-server',
    command: binary.path,
    args: ['--config', configFile],
    port,
    logFile,
    timeoutMs: START_TIMEOUT_MS,
    async untilReady({ pid }, signal) {
      const portsFile = join(portsFolder, `nats-server_${String(pid)}.ports`);
      while (!(await isWritten(portsFile))) await delay(READY_POLL_MS, undefined, { signal });
    },
    reasonIn,
    signal: options.signal,
  });
  return { ...server, url: `nats://127.0.0.1:${String(port)}` };
}

/** The configuration format has the same strings as JSON. */
function serverConfig(dataDirectory: string, portsFolder: string, port: number): string {
  const settings = [
    `listen: ${JSON.stringify(`127.0.0.1:${String(port)}`)}`,
    `ports_file_dir: ${JSON.stringify(portsFolder)}`,
    // For a development machine: without limits, the server takes three quarters of memory and disk.
    `jetstream { store_dir: ${JSON.stringify(join(dataDirectory, 'streams'))}, max_memory_store: 64MB, max_file_store: 4GB }`,
  ];
  return `${settings.join('\n')}\n`;
}

async function isWritten(file: string): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')).trimEnd().endsWith('}');
}

/** The last line of the log with an error, without its time. */
function reasonIn(lines: readonly string[]): string | undefined {
  const grave = lines.findLast((line) => /\[(FTL|ERR)\]|^nats-server: /.test(line));
  return grave?.replace(/^.*\[(FTL|ERR)\] /, '');
}
