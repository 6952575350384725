import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { storeSettings } from '@fairlead/local-stores/config';
import { IMAGE_CONFIG } from './src/archive/fairlead-image.ts';
import { writeImageArchive } from './src/archive/image-archive.ts';
import { readRelease } from './src/archive/release.ts';
import { stageTree } from './src/staging/stage.ts';

const USAGE = `usage: npm run image -- --base <archive> --out <file> [--tag <name:tag>]
  Writes the image as an archive for docker load, without a container engine. The base is an archive as docker save writes it.
`;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: { base: { type: 'string' }, out: { type: 'string' }, tag: { type: 'string' } },
});
if (values.base === undefined || values.out === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const tag = values.tag ?? `ghcr.io/fairlead/fairlead:${await readRelease(ROOT)}`;
const folder = await mkdtemp(join(tmpdir(), 'fairlead-staged-'));
const staged = join(folder, 'app');
try {
  const descriptions = join(storeSettings().cacheDirectory, 'catalogue');
  process.stdout.write(await stageTree(ROOT, staged, descriptions));
  // A volume mounted there belongs to the image's user.
  await mkdir(join(folder, 'data'));
  const sources = (await readdir(staged)).filter((name) => name !== 'node_modules');
  await writeImageArchive({
    base: resolve(values.base),
    // Libraries in a layer of their own, because they change more rarely than the sources.
    layers: [
      { folder: staged, place: '/app', entries: ['node_modules'] },
      { folder: staged, place: '/app', entries: sources.toSorted() },
      { folder, place: '/', entries: ['data'], owner: 65_532 },
    ],
    config: IMAGE_CONFIG,
    tag,
    out: resolve(values.out),
  });
  process.stdout.write(`${tag} is in ${resolve(values.out)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
