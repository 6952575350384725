import { mkdir, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { storeSettings } from '@fairlead/local-stores/config';
import { stageTree } from './src/staging/stage.ts';

/**
 * `node deploy/docker/stage.ts --out <folder> [--libraries <folder>] [--data <folder>]`, after `npm ci --ignore-scripts`: writes the
 * image's tree, with `node_modules` in its own folder if requested, and creates the empty data folder.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { out: text, libraries: text, data: text } });
if (values.out === undefined) throw new Error('name the folder to write: --out <folder>');
const out = resolve(values.out);
const sources = join(storeSettings().cacheDirectory, 'catalogue');
process.stdout.write(await stageTree(fileURLToPath(new URL('../..', import.meta.url)), out, sources));
if (values.libraries !== undefined) {
  await mkdir(values.libraries, { recursive: true });
  await rename(join(out, 'node_modules'), join(values.libraries, 'node_modules'));
}
if (values.data !== undefined) await mkdir(values.data, { recursive: true });
