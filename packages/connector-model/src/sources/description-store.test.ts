import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportSource } from '../schema/import-source.ts';
import { integrityOf, writeArchive } from '../testing/archives.ts';
import { openDescriptionStore } from './description-store.ts';
import type { FetchArchive } from './extract-members.ts';

let directory: string;
let archive: string;
let source: ImportSource;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'connector-model-'));
  archive = join(directory, 'archive');
  await writeArchive(archive, 'npm', { 'a.json': '{"a":1}', 'b.json': '{"b":2}' });
  source = {
    kind: 'discovery',
    registry: 'npm',
    package: 'acme-api',
    version: '1.0.0',
    integrity: await integrityOf(archive),
    file: 'a.json',
    hosts: ['acme.test'],
  };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Stands in for a registry's client: copies the archive, and counts the fetches. */
function countedFetch(): { fetch: FetchArchive; fetched: string[] } {
  const fetched: string[] = [];
  const fetch: FetchArchive = async ({ package: name }, to) => {
    fetched.push(name);
    await copyFile(archive, join(to, 'archive'));
    return join(to, 'archive');
  };
  return { fetch, fetched };
}

describe('the store of descriptions', () => {
  it('fetches a package once for all of its files, and never what is there', async () => {
    const { fetch, fetched } = countedFetch();
    const cache = join(directory, 'cache');
    const other = { ...source, file: 'b.json' };
    const store = openDescriptionStore(cache);
    expect(await store.read(source)).toBeUndefined();
    expect(await store.fetchMissing([source, other, source], fetch)).toEqual([]);
    expect(await openDescriptionStore(cache).fetchMissing([source, other], fetch)).toEqual([]);
    expect(fetched).toEqual(['acme-api']);
    expect([await store.read(source), await store.read(other)]).toEqual([{ a: 1 }, { b: 2 }]);
    // Neither the archive nor its folder is left.
    expect(await readdir(cache)).toHaveLength(2);
  });

  it('keeps a description in YAML as JSON', async () => {
    await writeArchive(archive, 'npm', { 'a.yaml': 'paths:\n  /a: &a { get: { on: yes } }\n  /b: *a\n' });
    const yaml = { ...source, file: 'a.yaml', integrity: await integrityOf(archive) };
    const store = openDescriptionStore(join(directory, 'cache'));
    expect(await store.fetchMissing([yaml], countedFetch().fetch)).toEqual([]);
    const path = { get: { on: 'yes' } };
    expect(await store.read(yaml)).toEqual({ paths: { '/a': path, '/b': path } });
  });

  it('fetches anew when the pinned archive changes', async () => {
    const { fetch, fetched } = countedFetch();
    const store = openDescriptionStore(join(directory, 'cache'));
    await store.fetchMissing([source], fetch);
    await store.fetchMissing([{ ...source, integrity: 'sha256-AAAA' }], fetch);
    expect(fetched).toHaveLength(2);
  });

  it('reports a package that cannot be had, has the others, and tries again', async () => {
    const cache = join(directory, 'cache');
    const store = openDescriptionStore(cache);
    const gone = { ...source, package: 'gone', integrity: 'sha256-AAAA' };
    const { fetch, fetched } = countedFetch();
    const failing: FetchArchive = (pinned, to) =>
      pinned.package === 'gone' ? Promise.reject(new Error('no network')) : fetch(pinned, to);
    const failure = { package: 'gone', version: '1.0.0', reason: 'no network' };
    expect(await store.fetchMissing([gone, source], failing)).toEqual([failure]);
    expect([await store.read(gone), await store.read(source)]).toEqual([undefined, { a: 1 }]);
    expect(await store.fetchMissing([gone, source], fetch)).toEqual([]);
    expect(fetched).toEqual(['acme-api', 'gone']);
    expect(await readdir(cache)).toHaveLength(2);
  });

  it('does not take a description that cannot be read for one that is not there', async () => {
    const cache = join(directory, 'cache');
    const store = openDescriptionStore(cache);
    await store.fetchMissing([source], countedFetch().fetch);
    const [name = ''] = await readdir(cache);
    await rm(join(cache, name));
    await mkdir(join(cache, name));
    await expect(store.read(source)).rejects.toThrow('EISDIR');
  });

  it('reports a package without the file', async () => {
    const store = openDescriptionStore(join(directory, 'cache'));
    const failures = await store.fetchMissing([{ ...source, file: 'c.json' }], countedFetch().fetch);
    expect(failures).toMatchObject([{ reason: 'it has no file c.json' }]);
  });
});
