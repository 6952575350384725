import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { run } from './support/kubernetes.ts';
import type { Part } from './part.ts';
import type { Images } from './support/installation.ts';

const REPOSITORY = 'ghcr.io/fairlead/fairlead';
const MOST_BYTES = 300e6;

const manifest = z.object({ version: z.string() });
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Image names of the product, MongoDB and NATS: built by the part `images`, or from CLUSTER_IMAGES, separated by commas. */
export async function imagesOfRun(): Promise<Images> {
  const [product, mongodb, nats] = (process.env['CLUSTER_IMAGES'] ?? '').split(',').filter(Boolean);
  const { version } = manifest.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  return {
    product: product ?? `${REPOSITORY}:${version}`,
    mongodb: mongodb ?? `${REPOSITORY}-mongodb:${version}`,
    nats: nats ?? `${REPOSITORY}-nats:${version}`,
  };
}

/** Builds the image of a checkout as `tag` and loads it; returns its size in bytes. */
export async function buildAndLoad(checkout: string, tag: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-image-'));
  try {
    const file = join(folder, 'image.tar');
    const base = process.env['CLUSTER_IMAGE_BASE'];
    const program = join(checkout, 'deploy/docker/build.ts');
    const basis = base === undefined ? [] : ['--base', base];
    await run(process.execPath, [program, ...basis, '--out', file, '--tag', tag]);
    const { size } = await stat(file);
    await load(file);
    return size;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds this checkout's images and loads them with the command CLUSTER_LOAD; the product's must be below 300 MB. */
export const imagesPart: Part = {
  name: 'images',
  async run({ images }) {
    if (process.env['CLUSTER_LOAD'] === undefined)
      return { figures: ['CLUSTER_LOAD is not set: the cluster must have the images already'], problems: [] };
    const bytes = await buildAndLoad(ROOT, images.product);
    await buildStores();
    return {
      figures: [`the image has ${String(Math.round(bytes / 1e6))} MB`],
      problems: bytes >= MOST_BYTES ? ['the image has 300 MB or more'] : [],
    };
  },
};

async function buildStores(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-stores-'));
  try {
    await run('node', ['deploy/docker/stores/build.ts', '--out', folder]);
    for (const file of await readdir(folder)) await load(join(folder, file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Loads an archive's images into the cluster's nodes. */
async function load(archive: string): Promise<void> {
  const [program = '', ...args] = (process.env['CLUSTER_LOAD'] ?? '').split(' ');
  await run(program, [...args, archive]);
}
