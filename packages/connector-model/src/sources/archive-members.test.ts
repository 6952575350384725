import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeArchive } from '../testing/archives.ts';
import { readMembers } from './archive-members.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'connector-model-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const deep = `${'a-long-folder-name/'.repeat(7)}file.json`;
const members = {
  'first.json': '{"first":true}',
  'empty.json': '',
  // Longer than one chunk of a stream, and not a multiple of a block.
  'large.json': JSON.stringify({ text: 'ä'.repeat(150_000) }),
  'docs/last.json': '[]',
  [deep]: '"deep"',
};

describe.each(['npm', 'pypi'] as const)('an archive of %s', (registry) => {
  it('gives the members that are wanted, by their paths in the package', async () => {
    const archive = join(directory, 'archive');
    await writeArchive(archive, registry, members);
    const wanted = ['docs/last.json', 'large.json', deep, 'nope.json'];
    const found = await readMembers(archive, registry, (path) => wanted.includes(path));
    expect([...found.keys()].toSorted()).toEqual([deep, 'docs/last.json', 'large.json']);
    for (const [path, content] of found) expect(content.toString(), path).toBe(Reflect.get(members, path));
  });
});

it('a wheel that is no archive is refused', async () => {
  const archive = join(directory, 'archive');
  await writeFile(archive, 'no archive');
  await expect(readMembers(archive, 'pypi', () => true)).rejects.toThrow('The wheel is not a zip archive.');
});
