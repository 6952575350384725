import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findMongod } from '@fairlead/local-stores/mongod-binary';
import type { DevStack } from './dev-stack.ts';
import { raiseSeededBudgets } from './raise-budgets.ts';

/** A stack for a test run. */
export interface StartedStack {
  readonly stack: DevStack;
  /** Folder of its data and logs. */
  readonly data: string;
  /** Stops it; throws for an exit code other than 0. Removes the folder, unless it was given. */
  readonly stop: () => Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A first start downloads mongod; later ones take seconds. */
const START_LIMIT_MS = 10 * 60_000;

/** Differences from a plain `npm start`. */
export interface StackOptions {
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Additional command line arguments: `['--replicas', 'tools=2']`. */
  readonly args?: readonly string[];
  /** The checkout whose code runs. Default: this one. */
  readonly root?: string;
  /** A folder for data and logs that is kept when the stack stops. Default: a temporary one. */
  readonly data?: string;
}

/** Starts the whole stack as `npm start` does, on free ports, with temporary data by default; the seeded accounts have high budgets. */
export async function startStack({
  env = {},
  args = [],
  root = ROOT,
  data: kept,
}: StackOptions = {}): Promise<StartedStack> {
  // Found or installed here, because a test run may install a missing system package, which `npm start` only names.
  await findMongod({ installSystemPackages: true, log: console.log });
  const data = kept ?? (await mkdtemp(join(tmpdir(), 'fairlead-test-stack-')));
  const launcher = spawn(
    process.execPath,
    [join(root, 'tools/launcher/src/main.ts'), '--port', '0', '--data', data, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The same applications with and without a network.
      env: { CATALOGUE_SOURCES: 'none', ...process.env, ...env },
    },
  );
  let output = '';
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exited = once(launcher, 'exit');
  const started = Date.now();
  let stack: DevStack | undefined;
  while (stack === undefined) {
    if (launcher.exitCode !== null) throw new Error(`The stack did not start:\n${output}`);
    if (Date.now() - started > START_LIMIT_MS) {
      launcher.kill('SIGKILL');
      throw new Error(`The stack was not up after ${START_LIMIT_MS} ms:\n${output}`);
    }
    await delay(100);
    stack = await readStack(join(data, 'dev.json')).catch(() => undefined);
  }
  const stop = async (): Promise<void> => {
    launcher.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    if (code !== 0) throw new Error(`The stack did not stop cleanly (exit code ${code}):\n${output}`);
    if (kept === undefined) await rm(data, { recursive: true, force: true });
  };
  await raiseSeededBudgets(stack).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { stack, data, stop };
}

/** The running stack whose `dev.json` FAIRLEAD_DEV_JSON names, left running by `stop`; otherwise a new one. */
export async function givenOrStartedStack(options: StackOptions = {}): Promise<StartedStack> {
  const given = process.env['FAIRLEAD_DEV_JSON'];
  if (given === undefined) return await startStack(options);
  const stack = await readStack(given);
  await raiseSeededBudgets(stack);
  return { stack, data: dirname(given), stop: () => Promise.resolve() };
}

async function readStack(path: string): Promise<DevStack> {
  // Written by our own launcher, whose tests check the file's shape.
  return JSON.parse(await readFile(path, 'utf8')) as DevStack;
}
