import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, vi } from 'vitest';
import { z } from 'zod';
import { get, post } from './api.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PATIENCE = { timeout: 120_000, interval: 200 };

const created = z.object({ id: z.int(), token: z.string() });
const record = z.object({ status: z.string() });

/** An on-prem agent of the seeded account and its process. */
export interface RunningAgent {
  readonly id: number;
  status(): Promise<string>;
  /** Resolves once its record says that it is online. */
  untilOnline(): Promise<void>;
  /** Kills the process, like a crash. */
  kill(): Promise<void>;
  /** Starts another process after the former has ended. */
  start(): void;
  /** Whether the process has ended. */
  hasEnded(): boolean;
  /** Folder of its log files. */
  readonly logDirectory: string;
  /** The output of all its processes so far. */
  log(): string;
  close(): Promise<void>;
}

/** Creates an agent that can call HTTP servers, and starts it; `url` is the platform's address, `prefix` precedes its command. */
export async function startAgent({
  url = inject('stack').baseUrl,
  settings = {},
  prefix = [],
}: {
  readonly url?: string;
  readonly prefix?: readonly string[];
  readonly settings?: object;
} = {}): Promise<RunningAgent> {
  const sent = { applicationSlug: 'onprem-http', name: 'Under faults', settings };
  const { body } = await post('/v1/on-prem-agents', sent);
  const { id, token } = created.parse(body);
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-agent-'));
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const logDirectory = join(directory, 'logs');
  const args = ['packages/agent/src/cli.ts', '--url', url, '--allow-http', '--token-file', tokenFile];
  let log = '';
  const spawned = () => {
    const [program, ...rest] = [...prefix, process.execPath, ...args, '--log-dir', logDirectory];
    const child = spawn(program, rest, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (log += text));
    return { child, exited };
  };
  let running = spawned();
  const status = async (): Promise<string> =>
    record.safeParse((await get(`/v1/on-prem-agents/${id}`)).body).data?.status ?? 'unknown';
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.exited;
  };
  const agent: RunningAgent = {
    id,
    status,
    async untilOnline() {
      await vi.waitFor(async () => expect(await status()).toBe('Online'), PATIENCE);
    },
    kill,
    start() {
      running = spawned();
    },
    hasEnded: () => running.child.exitCode !== null || running.child.signalCode !== null,
    logDirectory,
    log: () => log,
    async close() {
      await kill();
      rmSync(directory, { recursive: true });
    },
  };
  try {
    await agent.untilOnline();
  } catch (error) {
    await agent.close();
    throw error;
  }
  return agent;
}
