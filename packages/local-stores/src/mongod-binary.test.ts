import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StoreSettings } from './config.ts';
import { findMongod } from './mongod-binary.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

async function installMongod(folder: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'mongod');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** Fetching fails: the download site is a closed port, and Python is not on PATH. */
async function settings(searchPath: readonly string[]): Promise<StoreSettings> {
  return {
    cacheDirectory: join(await temporaryFolder(), 'cache'),
    searchPath,
    environment: {
      PATH: '/nonexistent',
      MONGOMS_DOWNLOAD_MIRROR: 'http://127.0.0.1:1',
      MONGOMS_USE_HTTP: '1',
    },
  };
}

test('mongod on PATH comes first', async () => {
  const folder = await temporaryFolder();
  const path = await installMongod(folder, 'echo "db version v7.0.14"');
  const found = await findMongod({ settings: await settings(['/nonexistent', folder]) });
  expect(found).toEqual({ path, version: '7.0.14', source: 'path' });
});

test('one that is too old or does not run is passed over, with a line that says so', async () => {
  const [old, broken, good] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
  await installMongod(old, 'echo "db version v4.4.29"');
  await installMongod(broken, 'exit 1');
  const path = await installMongod(good, 'echo "db version v6.0.5"');
  const lines: string[] = [];
  const found = await findMongod({
    settings: await settings([old, broken, good]),
    log: (line) => lines.push(line),
  });
  expect(found.path).toBe(path);
  expect(lines).toEqual([
    `Not using ${join(old, 'mongod')}: version 4.4.29 is too old`,
    `Not using ${join(broken, 'mongod')}: it does not run`,
  ]);
});

test('a fetched one in the cache is used without fetching again', async () => {
  const given = await settings([]);
  const path = await installMongod(join(given.cacheDirectory, 'mongod-6.0.5'), 'echo "db version v6.0.5"');
  expect(await findMongod({ settings: given })).toEqual({ path, version: '6.0.5', source: 'cache' });
});

test('a cached one that misses a library is refused with what to install', async () => {
  const given = await settings([]);
  await installMongod(
    join(given.cacheDirectory, 'mongod-6.0.5'),
    'echo "mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file" >&2; exit 127',
  );
  await expect(findMongod({ settings: given })).rejects.toThrow('apt-get install libcurl4');
});

test('a cached one that is broken is refused with what to do', async () => {
  const given = await settings([]);
  const path = await installMongod(join(given.cacheDirectory, 'mongod-6.0.5'), 'kill -SEGV $$');
  await expect(findMongod({ settings: given })).rejects.toThrow(
    `${path} does not run on this system: it crashes. Delete it to fetch it again,`,
  );
});

test('where nothing can be fetched, one message says why and what to do, and leaves no litter', async () => {
  const given = await settings([]);
  await expect(findMongod({ settings: given })).rejects.toThrow(
    /could not be fetched \(.*ECONNREFUSED.*python3 is not installed.*\)\. Put mongod 6 or newer on PATH, or set MONGODB_URI\./s,
  );
  expect(await readdir(given.cacheDirectory)).toEqual([]);
});
