import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/fairlead-python', import.meta.url));

/** The name of a Python 3.10 or newer that can create virtual environments, if there is one. */
export function findPython(): string | undefined {
  const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
  return ['python3', 'python'].find((name) => spawnSync(name, ['-c', check]).status === 0);
}

/**
 * The interpreter of a virtual environment with `install` installed by pip; `python` creates it once per `key`, which
 * identifies its content. Run programs in it as modules, because scripts name an interpreter that has moved.
 */
export async function pythonEnvironment(
  python: string,
  o: { readonly key: string; readonly install: readonly string[] },
): Promise<string> {
  const place = join(CACHE, createHash('sha256').update(o.key).digest('hex').slice(0, 16));
  const interpreter = join(place, 'bin/python');
  if (existsSync(place)) return interpreter;
  await mkdir(CACHE, { recursive: true });
  // Created beside its place and moved there when complete, so that a broken installation is never used.
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    await run(python, ['-m', 'venv', fresh]);
    // Python compiles the modules that a program imports; to compile all of them takes longer than to install them.
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', ...o.install];
    await run(join(fresh, 'bin/python'), pip);
    await rename(fresh, place).catch((error: unknown) => {
      // Another process was faster, with the same content.
      if (!existsSync(place)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return interpreter;
}
