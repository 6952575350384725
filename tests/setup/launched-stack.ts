import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DevStack } from './dev-stack.ts';

/** A whole stack for this run. */
export interface LaunchedStack {
  readonly stack: DevStack;
  /** Stops what was started; rejects where it did not stop cleanly. */
  readonly stop: () => Promise<void>;
}

/** A first start fetches mongod; a warm one takes seconds. */
const START_LIMIT_MS = 10 * 60_000;

/**
 * Starts the whole stack as `npm start -- <args>` does, on free ports with data of its own, or takes the running one whose
 * `dev.json` FAIRLEAD_DEV_JSON names. Stopping must be clean: an exit code other than 0 is an error.
 */
export async function launchStack(...args: readonly string[]): Promise<LaunchedStack> {
  const given = process.env['FAIRLEAD_DEV_JSON'];
  if (given !== undefined) return { stack: await readStack(given), stop: () => Promise.resolve() };
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const data = await mkdtemp(join(tmpdir(), 'fairlead-test-stack-'));
  const launcher = spawn(
    process.execPath,
    [join(root, 'tools/launcher/src/main.ts'), '--port', '0', '--data', data, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
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
  return {
    stack,
    stop: async () => {
      launcher.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw new Error(`The stack did not stop cleanly (exit code ${code}):\n${output}`);
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function readStack(path: string): Promise<DevStack> {
  // Written by our own launcher, whose tests check the file's shape.
  return JSON.parse(await readFile(path, 'utf8')) as DevStack;
}
