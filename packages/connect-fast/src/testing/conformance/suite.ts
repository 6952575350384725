import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unavailableReason } from './unavailable.ts';

const execute = promisify(execFile);

/** Connect's conformance suite, a Go module. */
const MODULE = 'connectrpc.com/conformance';
const VERSION = 'v1.0.7';

const CACHE = fileURLToPath(
  new URL('../../../../../node_modules/.cache/connectconformance', import.meta.url),
);
const BUF = fileURLToPath(new URL('../../../../../node_modules/.bin/buf', import.meta.url));

/** The program under test, for each mode of the suite. */
const PROGRAMS = {
  client: fileURLToPath(new URL('./client.ts', import.meta.url)),
  server: fileURLToPath(new URL('./server.ts', import.meta.url)),
};

/** The installed suite. */
export interface Suite {
  /** Path of the runner. */
  readonly runner: string;
  /** Path of a file descriptor set with its messages and service. */
  readonly descriptorSet: string;
}

/**
 * The suite, built on first use, or the reason why this machine cannot build it: no Go, or no module proxy. Rejects
 * if the build fails for another reason.
 */
export async function installSuite(): Promise<Suite | { readonly reason: string }> {
  const place = join(CACHE, VERSION);
  const suite = { runner: join(place, 'connectconformance'), descriptorSet: join(place, 'protos.binpb') };
  if (existsSync(place)) return suite;
  await mkdir(CACHE, { recursive: true });
  // Built in a temporary directory and renamed when complete, so that a broken installation is never used.
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    await build(fresh);
    await rename(fresh, place).catch((error: unknown) => {
      // Another process was faster, with the same content.
      if (!existsSync(place)) throw error;
    });
    return suite;
  } catch (error) {
    const reason = unavailableReason(error);
    if (reason === undefined) throw error;
    return { reason };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function build(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '' };
  // Without optimisation, because it is built more often than it runs for long.
  const flags = ['-gcflags=all=-N -l', '-ldflags=-s -w'];
  await execute('go', ['install', ...flags, `${MODULE}/cmd/connectconformance@${VERSION}`], { env });
  const { stdout } = await execute('go', ['env', 'GOMODCACHE'], { env });
  await execute(BUF, ['build', '--as-file-descriptor-set', '-o', join(folder, 'protos.binpb')], {
    cwd: join(stdout.trim(), `${MODULE}@${VERSION}`),
  });
}

/** The result of a run of the suite. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  /** The runner's output, failures first. */
  readonly output: string;
}

/** Runs the suite against one of our programs. `programArguments` follow the path of the descriptor set. */
export async function runSuite(
  suite: Suite,
  mode: keyof typeof PROGRAMS,
  ...programArguments: readonly string[]
): Promise<SuiteResult> {
  const program = [process.execPath, PROGRAMS[mode], suite.descriptorSet, ...programArguments];
  const run = execute(
    suite.runner,
    ['--mode', mode, '--conf', join(dirname(PROGRAMS[mode]), `${mode}.yaml`), '--', ...program],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  // The runner exits with an error if a case fails.
  const { stdout, stderr } = await run.catch((error: unknown) => error as { stdout: string; stderr: string });
  const output = `${stdout}\n${stderr}`;
  const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(output) ?? [];
  if (passed === undefined) throw new Error(`The suite did not run:\n${output}`);
  return { passed: Number(passed), failed: Number(failed), output };
}
