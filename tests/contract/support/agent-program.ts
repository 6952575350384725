import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { expectStatus } from './accounts.ts';
import { get, post, stack } from './api.ts';
import type { TestAccount } from './own-accounts.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The agent's command without options: the checkout's, or AGENT_COMMAND, which may be the built executable. */
const [COMMAND = process.execPath, ...COMMAND_ARGUMENTS] = process.env['AGENT_COMMAND']?.split(' ') ?? [
  process.execPath,
  join(ROOT, 'packages/agent/src/cli.ts'),
];

/** A running agent. */
export interface AgentProgram {
  readonly pid: number;
  /** Folder of its configuration and logs. */
  readonly directory: string;
  /** The program's output so far, standard error included. */
  text(): string;
  /** Resolves with its exit code; null: it ended by a signal. */
  ended(): Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

interface ProgramOptions {
  readonly token: string;
  /** Lines of YAML. */
  readonly config?: string;
  readonly url?: string;
  /** Replaces AGENT_COMMAND and its options. */
  readonly command?: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly subcommand?: 'check';
}

/** Starts the agent; it is killed after the test. */
export function startAgent({
  token,
  config = '',
  url = stack.baseUrl,
  command,
  env,
  subcommand,
}: ProgramOptions): AgentProgram {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-agent-'));
  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const options = [
    ...(subcommand === undefined ? [] : [subcommand]),
    '--url',
    url,
    '--token-file',
    file('token', token),
    '--config',
    file('agent.yaml', config),
  ];
  const [program, ...args] = command ?? [COMMAND, ...COMMAND_ARGUMENTS, ...options];
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: directory, LOGS_DIRECTORY: join(directory, 'logs'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => (text += chunk));
  }
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started.`);
  const kill = (signal: NodeJS.Signals): void => {
    try {
      // The whole process group, because npm may be its parent.
      process.kill(-pid, signal);
    } catch {
      // The program has already ended.
    }
  };
  onTestFinished(async () => {
    kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  return { pid, directory, text: () => text, ended: () => ended, kill };
}

/** Creates an agent of the account and starts its process; resolves when it is online. */
export async function runningAgent(
  account: TestAccount,
  o: { readonly members?: Record<string, unknown> } & Omit<ProgramOptions, 'token'> = {},
): Promise<{ readonly id: number; readonly token: string; readonly program: AgentProgram }> {
  const sent = { applicationSlug: 'onprem-http', name: 'Lab', ...o.members };
  const { id, token } = expectStatus(await post('/v1/on-prem-agents', sent, account), 201).body;
  const program = startAgent({ token, ...o });
  await expect.poll(() => agentStatus(account, id)).toBe('Online');
  return { id, token, program };
}

/** The status in an agent's record. */
export async function agentStatus(account: TestAccount, id: number): Promise<string> {
  return expectStatus(await get(`/v1/on-prem-agents/${id}`, account), 200).body.status;
}
