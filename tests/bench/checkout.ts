import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** This checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A commit of this repository in its own folder, with installed packages. */
export interface Checkout {
  readonly root: string;
  remove(): Promise<void>;
}

/** Checks a commit out beside this work tree; rejects if git does not know it, or npm cannot install its packages. */
export async function checkOut(commit: string): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-tree-'));
  const root = join(folder, 'tree');
  const remove = async (): Promise<void> => {
    await run('git', ['worktree', 'remove', '--force', root], { cwd: ROOT }).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run('git', ['worktree', 'add', '--detach', root, commit], { cwd: ROOT });
    // Without install scripts: no package needs them, and git hooks belong to the work tree.
    const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['ci', ...flags], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
