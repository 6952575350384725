import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeImageArchive } from './image-archive.ts';

const work = await mkdtemp(join(tmpdir(), 'fairlead-image-test-'));
afterAll(() => rm(work, { recursive: true, force: true }));

/** The same content, written in the given order and at the given time. */
async function folderOf(name: string, files: readonly string[], mode: number, time: Date): Promise<string> {
  const folder = join(work, name);
  await mkdir(join(folder, 'sub'), { recursive: true });
  for (const file of files) {
    await writeFile(join(folder, file), `content of ${file}`);
    await chmod(join(folder, file), mode);
    await utimes(join(folder, file), time, time);
  }
  await symlink('sub/b', join(folder, 'link'));
  return folder;
}

async function archiveOf(folder: string, out: string, base?: string): Promise<string> {
  const file = join(work, out);
  await writeImageArchive({
    ...(base === undefined ? {} : { base }),
    layers: [{ folder, place: '/app' }],
    config: { User: '65532:65532', Env: ['A=1'] },
    tag: 'example:1',
    out: file,
  });
  return file;
}

const read = (archive: string, entry: string): Buffer => execFileSync('tar', ['-xOf', archive, entry]);

it('the same content makes the same archive, whenever and by whomever it was written', async () => {
  const first = await folderOf('first', ['a', 'sub/b'], 0o644, new Date('2026-01-01'));
  const second = await folderOf('second', ['sub/b', 'a'], 0o664, new Date('2026-02-02'));
  const archives = [await archiveOf(first, 'first.tar'), await archiveOf(second, 'second.tar')];
  const [a, b] = await Promise.all(archives.map((file) => readFile(file)));
  expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true);
});

it('an image has the layers and settings of its base, then its own', async () => {
  const base = await archiveOf(await folderOf('base', ['a'], 0o644, new Date()), 'base.tar');
  const image = await archiveOf(await folderOf('own', ['c'], 0o644, new Date()), 'image.tar', base);
  const [manifest] = JSON.parse(read(image, 'manifest.json').toString()) as [
    { Config: string; Layers: string[]; RepoTags: string[] },
  ];
  expect(manifest.RepoTags).toEqual(['example:1']);
  const config: unknown = JSON.parse(read(image, manifest.Config).toString());
  expect(config).toMatchObject({
    config: { User: '65532:65532', Env: ['A=1', 'A=1'] },
    rootfs: {
      diff_ids: manifest.Layers.map(
        (layer) => `sha256:${createHash('sha256').update(read(image, layer)).digest('hex')}`,
      ),
    },
  });
  const names = manifest.Layers.map((layer) =>
    execFileSync('tar', ['-t'], { input: read(image, layer) })
      .toString()
      .trim()
      .split('\n'),
  );
  expect(names.map((list) => list.filter((name) => !name.endsWith('/')).toSorted())).toEqual([
    ['app/a', 'app/link'],
    ['app/c', 'app/link'],
  ]);
});

it('a layer of some entries has the folder in which they are, which everybody may enter', async () => {
  const folder = await folderOf('some', ['a', 'c'], 0o644, new Date());
  await chmod(folder, 0o700);
  const out = join(work, 'some.tar');
  const layers = [{ folder, place: '/app', entries: ['c'] }];
  await writeImageArchive({ layers, config: { Env: [] }, tag: 'example:1', out });
  const [
    {
      Layers: [layer = ''],
    },
  ] = JSON.parse(read(out, 'manifest.json').toString()) as [{ Layers: string[] }];
  const listed = execFileSync('tar', ['-tv'], { input: read(out, layer) }).toString();
  expect(listed.replaceAll(/ +/g, ' ').split('\n')).toEqual([
    expect.stringMatching(/^drwxr-xr-x .* app\/$/),
    expect.stringMatching(/^-rw-r--r-- .* app\/c$/),
    '',
  ]);
});
