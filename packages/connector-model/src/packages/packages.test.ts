import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FetchArchive } from '../sources/extract-members.ts';
import { integrityOf, writeArchive } from '../testing/archives.ts';
import { packageList, PACKAGES_FILE, readAllowedPackages } from './allowed-package.ts';
import type { ListedPackage } from './allowed-package.ts';
import { fetchPackages } from './fetch-packages.ts';
import type { PackageSources } from './fetch-packages.ts';

let directory: string;
let listed: ListedPackage;
let fetched: string[];
let sources: PackageSources;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-packages-'));
  const archive = join(directory, 'archive');
  await writeArchive(archive, 'npm', { 'src/index.js': 'exports.a = 1;', 'other.js': '' });
  listed = {
    package: 'acme-piece',
    version: '1.0.0',
    integrity: await integrityOf(archive),
    file: 'src/index.js',
    kind: 'piece',
  };
  fetched = [];
  const fetch: FetchArchive = async ({ package: name }, to) => {
    fetched.push(name);
    await copyFile(archive, join(to, 'archive'));
    return join(to, 'archive');
  };
  sources = { fetch, readLock: () => Promise.reject(new Error('It needs no lock file.')) };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('packages are fetched once, with their list and licence, and nothing else is allowed', async () => {
  const folder = join(directory, 'packages');
  await fetchPackages([listed], folder, sources);
  await fetchPackages([listed], folder, sources);
  expect(fetched).toEqual(['acme-piece']);
  expect(await readdir(folder)).toHaveLength(3);
  expect(await readFile(join(folder, 'NOTICE'), 'utf8')).toContain('Activepieces Inc.');
  const packages = await readAllowedPackages(folder);
  const found = packages.find('acme-piece', '1.0.0');
  expect(found).toEqual({ ...listed, program: expect.stringMatching(/^[0-9a-f]{64}\.cjs$/) as string });
  expect(found && (await readFile(packages.programOf(found), 'utf8'))).toBe('exports.a = 1;');
  expect(packages.find('acme-piece', '1.0.1')).toBeUndefined();
});

it('a package without its file is named, and there is no list', async () => {
  const folder = join(directory, 'packages');
  await expect(fetchPackages([{ ...listed, file: 'index.js' }], folder, sources)).rejects.toThrow(
    'acme-piece@1.0.0: it has no file index.js',
  );
  expect(await readdir(folder)).toEqual([]);
});

it('a list with a mistake is refused, naming the file', async () => {
  const program = `${'0'.repeat(64)}.cjs`;
  await writeFile(
    join(directory, PACKAGES_FILE),
    JSON.stringify({
      packages: [
        { ...listed, program },
        { ...listed, program },
      ],
    }),
  );
  await expect(readAllowedPackages(directory)).rejects.toThrow('acme-piece@1.0.0 is listed twice');
});

it('the list that is shipped has four pieces, pinned', async () => {
  const text = await readFile(new URL('../../../../connectors/packages.yaml', import.meta.url), 'utf8');
  const { packages } = packageList.parse(parseYaml(text));
  expect(packages.map(({ package: name }) => name.replace('@activepieces/piece-', ''))).toEqual([
    'slack',
    'intercom',
    'notion',
    'wordpress',
  ]);
});
