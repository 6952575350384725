import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { TOKEN } from './test-platform.ts';

/** A running agent. */
export interface AgentProcess {
  readonly pid: number;
  /** Standard output and error so far. */
  text(): string;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes a private file. */
export function privateFile(directory: string, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Starts the agent as a separate process, which is killed after the test. */
export function startAgentProcess(
  url: string,
  o: {
    readonly config?: string;
    readonly args?: readonly string[];
    readonly env?: NodeJS.ProcessEnv;
    readonly token?: string;
    /** The agent's command. Default: the executable AGENT_COMMAND, or else the checkout's program. */
    readonly command?: readonly string[];
  } = {},
): AgentProcess {
  const directory = temporaryDirectory();
  const token = privateFile(directory, 'token', `${o.token ?? TOKEN}\n`);
  const config = privateFile(directory, 'agent.yaml', o.config ?? '');
  const main = fileURLToPath(new URL('../cli.ts', import.meta.url));
  const built = process.env['AGENT_COMMAND'];
  const [program = '', ...first] = o.command ?? (built === undefined ? [process.execPath, main] : [built]);
  const args = [
    '--url',
    url,
    '--token-file',
    token,
    '--config',
    config,
    '--log-dir',
    join(directory, 'logs'),
  ];
  const child = spawn(program, [...first, ...(o.args ?? []), ...args], {
    env: { PATH: process.env['PATH'], ...o.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => (text += chunk));
  }
  const ended = once(child, 'close').then(() => child.exitCode);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    text: () => text,
    ended: () => ended,
    kill: (signal) => void child.kill(signal),
  };
}
