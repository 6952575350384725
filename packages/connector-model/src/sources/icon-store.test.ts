import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { integrityOf, writeArchive } from '../testing/archives.ts';
import type { FetchArchive } from './extract-members.ts';
import { openIconStore } from './icon-store.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'connector-model-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const svg = (title: string, path: string): string =>
  `<svg role="img" viewBox="0 0 24 24" xmlns="http://www.w3.org/2000/svg"><title>${title}</title><path d="${path}"/></svg>`;

it('has the icons of the package with their colours, and fetches it once', async () => {
  const archive = join(directory, 'archive');
  const icons = [
    { title: 'Acme & Co', hex: '00AAFF' },
    { title: 'Large', hex: '000000' },
  ];
  await writeArchive(archive, 'npm', {
    '_data/simple-icons.json': JSON.stringify({ icons }),
    'icons/acme.svg': svg('Acme &amp; Co', 'M1 2z'),
    'icons/large.svg': svg('Large', 'M1 2z'.repeat(2_000)),
    'icons/nameless.svg': svg('Nameless', 'M1 2z'),
    'index.js': '',
  });
  let isOnline = false;
  let count = 0;
  const fetch: FetchArchive = async (_pinned, to) => {
    if (!isOnline) throw new Error('no network');
    count += 1;
    await copyFile(archive, join(to, 'fetched'));
    return join(to, 'fetched');
  };
  const cache = join(directory, 'cache');
  const store = openIconStore(cache, {
    registry: 'npm',
    package: 'icons',
    version: '1.0.0',
    integrity: await integrityOf(archive),
  });
  expect(await store.fetchMissing(fetch)).toEqual({
    package: 'icons',
    version: '1.0.0',
    reason: 'no network',
  });
  expect(await store.read()).toBeUndefined();
  isOnline = true;
  for (let start = 0; start < 2; start += 1) expect(await store.fetchMissing(fetch)).toBeUndefined();
  expect(await store.read()).toEqual(new Map([['acme', { color: '00AAFF', path: 'M1 2z' }]]));
  expect([count, await readdir(cache)]).toEqual([1, [expect.stringMatching(/^icons-[0-9a-f]{32}\.json$/)]]);
});
