import { readFile } from 'node:fs/promises';
import { startProcess } from './local-process.ts';
import type { LocalProcess } from './local-process.ts';

/** The data folder, port and log of a store's server. */
export interface ServerPlace {
  /** Folder for data and log; created if missing; existing data is used. */
  readonly dataDirectory: string;
  /** TCP port on 127.0.0.1; default: any free one. */
  readonly port?: number;
  /** File for the server's log; default: a file in the data folder. */
  readonly logFile?: string;
}

/** A server that this process started. */
export interface LocalServer {
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process has ended, for any reason. */
  readonly exited: LocalProcess['exited'];
  stop(): Promise<void>;
}

/** Starts a server and waits until it is ready. Rejects with the server's last log line if it ends; stops it after any failure. */
export async function startServer(o: {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly untilReady: (server: LocalProcess, signal: AbortSignal) => Promise<void>;
  /** Finds the reason for the server's end in its log; undefined: the last line is used. */
  readonly reasonIn: (lines: readonly string[]) => string | undefined;
  readonly signal: AbortSignal | undefined;
}): Promise<LocalServer> {
  const { command, args, port, logFile } = o;
  const server = await startProcess({ command, args, env: process.env, logFile });
  const ended = server.exited.then(async ({ code, signal }) => {
    const how = code === null ? (signal ?? '') : `code ${String(code)}`;
    throw new Error(`${o.name} ended (${how}): ${await lastWords(logFile, o.reasonIn)}`);
  });
  const timeout = AbortSignal.timeout(o.timeoutMs);
  const decided = new AbortController();
  const ready = async (signal: AbortSignal): Promise<void> => {
    try {
      await o.untilReady(server, signal);
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new Error(`${o.name} was not ready within ${String(o.timeoutMs / 1_000)} s (${logFile})`, {
        cause: error,
      });
    }
  };
  try {
    const signals = [timeout, decided.signal, ...(o.signal === undefined ? [] : [o.signal])];
    await Promise.race([ready(AbortSignal.any(signals)), ended]);
    // The server may become ready although the start was aborted.
    o.signal?.throwIfAborted();
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    decided.abort();
  }
  return {
    port,
    pid: server.pid,
    logFile,
    exited: server.exited,
    stop: async () => {
      await server.stop();
    },
  };
}

async function lastWords(
  logFile: string,
  reasonIn: (lines: readonly string[]) => string | undefined,
): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  return `${reasonIn(lines) ?? (lines.at(-1) || 'no output')} (${logFile})`;
}
