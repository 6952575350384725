import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storeSettings } from './config.ts';
import { findInstalledBinary, isExecutable } from './binary.ts';
import { isErrno } from './local-process.ts';
import { runCommand } from './run-command.ts';

const NAME = 'mariadbd';
const OLDEST_MAJOR = 10;

/** A MariaDB server that runs on this machine, and its files. */
export interface MariadbBinary {
  readonly path: string;
  /** Folder with the server's messages, character sets and the SQL of its system tables. */
  readonly share: string;
  /** Environment with the path of the server's libraries. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Debian's packages with libraries that a minimal system lacks; newer releases have other names. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  'libaio.so.1': ['libaio1', 'libaio1t64'],
  'libaio.so.1t64': ['libaio1t64'],
  'liburing.so.2': ['liburing2'],
  'libnuma.so.1': ['libnuma1'],
  'libpcre2-8.so.0': ['libpcre2-8-0'],
  'libsystemd.so.0': ['libsystemd0'],
};

/**
 * Finds MariaDB: on PATH or in /usr/sbin, in the cache, or in Debian's packages, which are unpacked into the cache and not installed.
 * Rejects with one message about the failures and the possible remedies.
 */
export async function findMariadb(log?: (line: string) => void): Promise<MariadbBinary> {
  const settings = storeSettings();
  const searchPath = [...settings.searchPath, '/usr/sbin'];
  const installed = await findInstalledBinary({
    name: NAME,
    settings: { ...settings, searchPath },
    versionIn: (text) => /Ver (\d+\.\d+\.\d+)-MariaDB/.exec(text)?.[1],
    isNewEnough: (version) => Number.parseInt(version, 10) >= OLDEST_MAJOR,
    log,
  });
  if (installed !== undefined) return { path: installed.path, share: '/usr/share/mysql', environment: {} };
  const root = join(settings.cacheDirectory, `mariadb-${process.arch}`);
  if (!(await isExecutable(join(root, 'usr', 'sbin', NAME)))) {
    try {
      await unpack(settings.cacheDirectory, root, log);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `MariaDB could not be fetched (${reason}). Install it: on Debian or Ubuntu, apt-get install mariadb-server-core.`,
        { cause: error },
      );
    }
  }
  return findUnpacked(root);
}

async function findUnpacked(root: string): Promise<MariadbBinary> {
  const lib = join(root, 'usr', 'lib');
  const folders = (await readdir(lib)).filter((name) => name.endsWith('-linux-gnu'));
  return {
    path: join(root, 'usr', 'sbin', NAME),
    share: join(root, 'usr', 'share', 'mysql'),
    environment: { LD_LIBRARY_PATH: folders.map((name) => join(lib, name)).join(':') },
  };
}

/** Puts the server and missing libraries into `root`, completely or not at all. */
async function unpack(cache: string, root: string, log?: (line: string) => void): Promise<void> {
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, 'fetching-'));
  const files = join(staging, 'root');
  try {
    await mkdir(join(files, 'usr', 'lib', `${process.arch}-linux-gnu`), { recursive: true });
    log?.('Fetching MariaDB from the packages of Debian (7 MB, once)');
    await addPackage(['mariadb-server-core', 'mariadb-server-core-10.5'], staging, files);
    for (const library of await missingLibraries(files)) {
      await addPackage(LIBRARIES[library] ?? [], staging, files);
    }
    await rename(files, root);
  } catch (error) {
    // Another process may have created the same files meanwhile.
    if (!isErrno(error, 'ENOTEMPTY') && !isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function missingLibraries(files: string): Promise<readonly string[]> {
  const { path } = await findUnpacked(files);
  const { stdout } = await runCommand('ldd', [path]);
  return [...stdout.matchAll(/^\s*(\S+) => not found$/gm)].flatMap(([, library]) => library ?? []);
}

/**
 * Downloads the first of these packages that exists, and unpacks it below `files`. As root, fetches the package lists first if there are
 * none.
 */
async function addPackage(names: readonly string[], staging: string, files: string): Promise<void> {
  const download = (name: string) => runCommand('apt-get', ['download', name], { cwd: staging });
  let name = await firstOf(names, download);
  if (name === undefined && process.getuid?.() === 0) {
    await runCommand('apt-get', ['update']);
    name = await firstOf(names, download);
  }
  if (name === undefined) throw new Error(`apt-get cannot download ${names.join(' or ')}`);
  const archive = (await readdir(staging)).find(
    (file) => file.startsWith(`${name}_`) && file.endsWith('.deb'),
  );
  const { code, stderr } = await runCommand('dpkg-deb', ['-x', join(staging, archive ?? ''), files]);
  if (code !== 0) throw new Error(stderr.trim());
}

async function firstOf(
  names: readonly string[],
  download: (name: string) => Promise<{ readonly code: number | null }>,
): Promise<string | undefined> {
  for (const name of names) if ((await download(name)).code === 0) return name;
  return undefined;
}
