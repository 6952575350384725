import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const manifestSchema = z.tuple([z.object({ Config: z.string(), Layers: z.array(z.string()) })]);

const baseConfigSchema = z.object({
  config: z.looseObject({ Env: z.array(z.string()).default([]) }),
  rootfs: z.object({ diff_ids: z.array(z.string()) }),
});

/** One layer of an image: the content of `folder`, placed at `place`. */
interface Layer {
  readonly folder: string;
  /** Absolute path in the image. */
  readonly place: string;
  /** Which entries of `folder` are in the layer. Default: all. */
  readonly entries?: readonly string[];
  /** User and group of the entries. Default: root. */
  readonly owner?: number;
}

/** Contents of the image that {@link writeImageArchive} writes. */
export interface ImageOptions {
  /** Archive of the base image, as `docker save` writes it. Without one, the image has only its own layers. */
  readonly base?: string;
  readonly layers: readonly Layer[];
  /** Members of the image's configuration, in Docker's spelling; `Env` extends the base's. */
  readonly config: { readonly Env: readonly string[]; readonly [member: string]: unknown };
  readonly tag: string;
  /** Path of the archive to write. */
  readonly out: string;
}

/**
 * Writes an archive for `docker load`, `skopeo copy docker-archive:` and `ctr images import`, without a container engine; needs GNU tar.
 * Equal content gives equal images: entries are sorted and have no time.
 */
export async function writeImageArchive(o: ImageOptions): Promise<void> {
  await mkdir(dirname(o.out), { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'fairlead-image-'));
  try {
    const base = await unpackBase(work, o.base);
    const own: string[] = [];
    for (const layer of o.layers) own.push(await writeLayer(work, layer));
    const config = imageConfig(o, [...base.diffIds, ...own.map((name) => `sha256:${digestIn(name)}`)], base);
    const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
    const layers = [...base.layers, ...own];
    await writeFile(join(work, configName), config);
    await writeFile(
      join(work, 'manifest.json'),
      JSON.stringify([{ Config: configName, RepoTags: [o.tag], Layers: layers }]),
    );
    await tar(work, `${o.out}.part`, ['manifest.json', configName, ...layers]);
    await rename(`${o.out}.part`, o.out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Base {
  readonly layers: readonly string[];
  readonly diffIds: readonly string[];
  readonly config: Readonly<Record<string, unknown>> & { readonly Env: readonly string[] };
}

async function unpackBase(work: string, archive: string | undefined): Promise<Base> {
  if (archive === undefined) return { layers: [], diffIds: [], config: { Env: [] } };
  await run('tar', ['-C', work, '-xf', archive]);
  const [manifest] = manifestSchema.parse(JSON.parse(await readFile(join(work, 'manifest.json'), 'utf8')));
  const text = await readFile(join(work, manifest.Config), 'utf8');
  const { config, rootfs } = baseConfigSchema.parse(JSON.parse(text));
  return { layers: manifest.Layers, diffIds: rootfs.diff_ids, config };
}

/** Writes the layer to `work`; returns its file name, which contains its digest. */
async function writeLayer(
  work: string,
  { folder, place, entries = ['.'], owner = 0 }: Layer,
): Promise<string> {
  const draft = join(work, 'layer.part');
  const prefix = place.replace(/^\//, '');
  // Without an entry for the place itself, Docker 20 makes a folder that only root may enter.
  const placeEntry = prefix === '' || entries.includes('.') ? [] : ['--no-recursion', '.', '--recursion'];
  await tar(folder, draft, entries, [
    ...ownedBy(owner),
    ...placeEntry,
    `--transform=flags=r;s,^\\(\\./\\|\\.$\\)\\?,${prefix === '' ? './' : `${prefix}/`},`,
  ]);
  const hash = createHash('sha256');
  await pipeline(createReadStream(draft), hash);
  const name = `${hash.digest('hex')}.tar`;
  await rename(draft, join(work, name));
  return name;
}

function digestIn(name: string): string {
  return name.slice(0, -'.tar'.length);
}

function ownedBy(id: number): readonly string[] {
  return [`--owner=${String(id)}`, `--group=${String(id)}`];
}

async function tar(
  folder: string,
  file: string,
  entries: readonly string[],
  options: readonly string[] = ownedBy(0),
): Promise<void> {
  const fixed = ['--sort=name', '--mtime=@0', '--numeric-owner', '--mode=go-w,a+rX'];
  await run('tar', ['-C', folder, '--format=gnu', ...fixed, ...options, '-cf', file, '--', ...entries]);
}

function imageConfig(o: ImageOptions, diffIds: readonly string[], base: Base): string {
  return JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: { ...base.config, ...o.config, Env: [...base.config.Env, ...o.config.Env] },
    rootfs: { type: 'layers', diff_ids: diffIds },
  });
}
