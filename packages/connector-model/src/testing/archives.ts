import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const WHEEL =
  'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as wheel:\n  for name in sys.argv[2:]: wheel.write(name)';

/** Writes an archive with these members to `path`: an npm tarball or a wheel. */
export async function writeArchive(
  path: string,
  registry: 'npm' | 'pypi',
  members: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'archive-members-'));
  const content = join(folder, 'package');
  try {
    for (const [name, text] of Object.entries(members)) {
      await mkdir(dirname(join(content, name)), { recursive: true });
      await writeFile(join(content, name), text);
    }
    const run = promisify(execFile);
    if (registry === 'npm') await run('tar', ['czf', path, '--format=ustar', '-C', folder, 'package']);
    else await run('python3', ['-c', WHEEL, path, ...Object.keys(members)], { cwd: content });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file's digest in the format of a lock file. */
export async function integrityOf(path: string): Promise<string> {
  return `sha256-${createHash('sha256')
    .update(await readFile(path))
    .digest('base64')}`;
}
