import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testConnector, testTool } from '../testing/connectors.ts';
import { readCatalogue } from './read-catalogue.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-read-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tool = testTool('crm-list-contacts', { description: 'é'.repeat(900) });

it.each([
  ['small', 1],
  ['large', 1_000],
])('a %s catalogue is read as it was written', async (name, count) => {
  const tools = Array.from({ length: count }, () => tool);
  const connectors = ['crm', 'shop'].map((slug) => testConnector(slug, { tools }));
  const path = join(folder, name);
  await writeCatalogueFile(path, connectors);
  expect(await readCatalogue(path)).toEqual(connectors);
});

it.each([
  ['small', 1],
  ['large', 3_000_000],
])('a %s file that is no catalogue is refused with its name', async (name, length) => {
  const path = join(folder, `broken-${name}`);
  await writeFile(path, ' '.repeat(length));
  await expect(readCatalogue(path)).rejects.toThrow(`The catalogue file ${path} cannot be read.`);
});
