import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installedOnce } from './installed-once.ts';

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
  const place = await installedOnce(CACHE, o.key, async (folder) => {
    await run(python, ['-m', 'venv', folder]);
    // Python compiles the modules that a program imports; to compile all of them takes longer than to install them.
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', ...o.install];
    await run(join(folder, 'bin/python'), pip);
  });
  return join(place, 'bin/python');
}
