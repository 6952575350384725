import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stageTree } from './src/staging/stage.ts';

/** `node deploy/docker/stage.ts --out <folder>`: writes the tree of the image, after `npm ci --ignore-scripts`. */
const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (values.out === undefined) throw new Error('name the folder to write: --out <folder>');
await stageTree(fileURLToPath(new URL('../..', import.meta.url)), resolve(values.out));
