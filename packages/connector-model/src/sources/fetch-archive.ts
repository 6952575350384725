import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { ImportSource } from '../schema/import-source.ts';

export type PinnedPackage = Pick<ImportSource, 'registry' | 'package' | 'version' | 'integrity'>;

/** Time limit of a fetch: 80 MB on a slow line take less. */
const FETCH_LIMIT_MS = 5 * 60_000;
/** Time limit for npm to look a package up, so that a start without a network does not wait for the archive. */
const FIND_LIMIT_MS = 20_000;

const run = promisify(execFile);

/**
 * Fetches a package's archive into the empty folder `directory`, and checks its digest. It uses the registries' own
 * clients, because they follow the machine's mirror, proxy and certificate settings. Resolves to the archive's path.
 */
export async function fetchArchive(pinned: PinnedPackage, directory: string): Promise<string> {
  for (const [command, args, timeout] of commandsOf(pinned, directory)) {
    try {
      await run(command, args, { cwd: directory, timeout, maxBuffer: 16 * 1024 * 1024 });
    } catch (error) {
      throw new Error(`${command} could not fetch it: ${reasonOf(error)}`, { cause: error });
    }
  }
  const [file] = await readdir(directory);
  if (file === undefined) throw new Error(`the registry's client fetched no file`);
  const archive = join(directory, file);
  const algorithm = pinned.integrity.slice(0, pinned.integrity.indexOf('-'));
  const hash = createHash(algorithm);
  await pipeline(createReadStream(archive), hash);
  const integrity = `${algorithm}-${hash.digest('base64')}`;
  if (integrity !== pinned.integrity)
    throw new Error(`its archive has the digest ${integrity}, not ${pinned.integrity}`);
  return archive;
}

type Command = readonly [program: string, args: readonly string[], timeoutMs: number];

/** The commands that fetch a package, in order. npm's time limits apply to a whole archive, so the package is looked up first. */
function commandsOf(pinned: PinnedPackage, directory: string): readonly Command[] {
  switch (pinned.registry) {
    case 'npm': {
      const requirement = `${pinned.package}@${pinned.version}`;
      return [
        [
          'npm',
          [
            'view',
            requirement,
            'dist.integrity',
            '--loglevel=error',
            '--fetch-retries=0',
            '--fetch-timeout=10000',
          ],
          FIND_LIMIT_MS,
        ],
        [
          'npm',
          [
            'pack',
            requirement,
            '--ignore-scripts',
            '--loglevel=error',
            '--fetch-retries=1',
            '--pack-destination',
            directory,
          ],
          FETCH_LIMIT_MS,
        ],
      ];
    }
    case 'pypi': {
      const options = ['--quiet', '--no-deps', '--no-cache-dir', '--disable-pip-version-check'];
      // pip's time limit applies to each read.
      const network = ['--retries=1', '--timeout=8', '--only-binary=:all:'];
      const requirement = `${pinned.package}==${pinned.version}`;
      return [
        [
          'python3',
          ['-m', 'pip', 'download', ...options, ...network, '--dest', directory, requirement],
          FETCH_LIMIT_MS,
        ],
      ];
    }
  }
}

/** The line with the reason in a client's output: npm's first line, pip's last. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT') return 'it is not installed';
  if ('killed' in error && error.killed === true) return 'it took too long';
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';
  const lines = stderr.trim().split('\n');
  const line = lines.find((each) => each.startsWith('npm error')) ?? lines.at(-1);
  return line === undefined || line === '' ? 'it does not say why' : line;
}
