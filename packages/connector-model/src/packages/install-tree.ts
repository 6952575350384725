import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Installs the packages of a lock file (its text) below `node_modules` of an empty folder, without running their scripts. */
export type InstallTree = (lock: string, directory: string) => Promise<void>;

const INSTALL_LIMIT_MS = 5 * 60_000;

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const run = promisify(execFile);

/** Installs by npm, which checks the digest of each archive. */
export const installTree: InstallTree = async (lock, directory) => {
  const { packages } = lockFile.parse(JSON.parse(lock));
  const { dependencies = {} } = packages[''] ?? {};
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await writeFile(join(directory, 'package-lock.json'), lock);
  const options = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    await run('npm', ['ci', ...options], { cwd: directory, timeout: INSTALL_LIMIT_MS });
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new Error(`npm could not install it: ${text.trim().split('\n')[0] ?? ''}`, { cause: error });
  }
};

/**
 * Checks that a lock file pins this package, and each of its dependencies, by digests; throws the reason if not.
 */
export function checkLock(
  lock: string,
  root: { readonly package: string; readonly version: string; readonly integrity: string },
): void {
  const { success, data } = lockFile.safeParse(JSON.parse(lock));
  if (!success) throw new Error('its lock file is not one of npm, version 2 or later');
  const { [`node_modules/${root.package}`]: own } = data.packages;
  if (own?.version !== root.version || own.integrity !== root.integrity)
    throw new Error('its lock file has another version or digest of it');
  for (const [path, { integrity, link }] of Object.entries(data.packages))
    if (path !== '' && (integrity === undefined || link === true))
      throw new Error(`its lock file has no digest of ${path}`);
}
