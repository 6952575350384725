import { cp, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { productionClosure, readLockFile } from './lock-file.ts';
import type { LockedPackages } from './lock-file.ts';
import { billOf, npmBillOfMaterials } from './sbom.ts';
import { runNode } from './run-node.ts';

const versionSchema = z.object({ version: z.string() });
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  type: z.literal('module'),
});

/** Programs run by the image, and their commands. */
const PROGRAMS = [
  'packages/agent',
  'packages/cli',
  'packages/connector-model',
  'samples/sandbox-crm',
  'deploy/docker',
];

/** Libraries whose files are served to browsers but not imported; those files include their dependencies. */
export const SERVED: ReadonlyMap<string, readonly string[]> = new Map([
  ['node_modules/@scalar/api-reference', ['package.json', 'dist/browser/standalone.js']],
]);

/** Parts of a workspace that are not needed at run time. */
const NOT_RUN = /^(?:node_modules|dist|coverage|testing)$|\.test\.ts$/;

/** Parts that build the image. */
const BUILD = ['src/archive', 'src/staging', 'stores', 'build.ts', 'stage.ts'].map(
  (path) => `deploy/docker/${path}`,
);

/** Parts of a library that Node.js does not load, because it does not strip types below `node_modules`. */
const NOT_LOADED = /\.(?:[cm]?ts|map|flow)$/;

/**
 * Writes the tree of the image to the empty folder `out`: the sources of all programs as they are, the libraries that they need
 * from the `node_modules` of `root`, the guides that the gateway serves, the compiled catalogue, and a bill of materials. Its content depends on the
 * content of `root` only, and on whether the vendors' descriptions can be fetched into the folder `sources`; without one, the catalogue
 * has only the applications that need none. Resolves to the output of the compile step.
 */
export async function stageTree(root: string, out: string, sources?: string): Promise<string> {
  const locked = readLockFile(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const programs = await programFolders(root);
  const closure = productionClosure(locked, programs, new Set(SERVED.keys()));
  await rm(out, { recursive: true, force: true });
  for (const folder of closure.workspaces) await copySources(join(root, folder), join(out, folder));
  for (const folder of closure.libraries) await copyLibrary({ root, out, folder, locked });
  for (const path of BUILD) await rm(join(out, path), { recursive: true });
  await linkWorkspaces(locked, closure.workspaces, out);
  await copySources(join(root, 'docs'), join(out, 'docs'));
  await cp(join(root, 'LICENSE'), join(out, 'LICENSE'));
  await writeFile(join(out, 'package.json'), await manifestOf(root, closure.workspaces));
  // Includes packages that are bundled in the served files.
  const { workspaces, libraries } = productionClosure(locked, programs);
  const bill = billOf(await npmBillOfMaterials(root), locked, [...workspaces, ...libraries]);
  await writeFile(join(out, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 1)}\n`);
  const catalogue = join(out, 'catalogue.json');
  return runNode(join(out, 'packages/connector-model/src/cli.ts'), [
    '--connectors',
    join(out, 'connectors'),
    '--out',
    catalogue,
    ...(sources === undefined ? [] : ['--sources', sources]),
  ]);
}

/** The workspaces of all programs in the image. */
export async function programFolders(root: string): Promise<readonly string[]> {
  const services = await readdir(join(root, 'services'));
  return [...services.map((name) => `services/${name}`), ...PROGRAMS];
}

async function copySources(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => path === from || !NOT_RUN.test(basename(path)) });
}

async function copyLibrary(o: {
  root: string;
  out: string;
  folder: string;
  locked: LockedPackages;
}): Promise<void> {
  // A copied checkout has links to its libraries.
  const from = await realpath(join(o.root, o.folder)).catch(() => join(o.root, o.folder));
  const to = join(o.out, o.folder);
  await requireVersion(from, o.locked.get(o.folder)?.version);
  for (const file of SERVED.get(o.folder) ?? []) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(from, file), join(to, file));
  }
  if (SERVED.has(o.folder)) return;
  const filter = (path: string): boolean =>
    path === from || (basename(path) !== 'node_modules' && !NOT_LOADED.test(path));
  await cp(from, to, { recursive: true, filter });
}

/** A tree installed before the lock file changed would give another image than a fresh one. */
async function requireVersion(folder: string, locked: string | undefined): Promise<void> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  const installed = text === undefined ? undefined : versionSchema.parse(JSON.parse(text)).version;
  if (installed !== locked)
    throw new Error(
      `${folder} has version ${installed ?? '(none)'}, package-lock.json ${locked ?? '(none)'}: run npm ci --ignore-scripts`,
    );
}

/** The links by which Node.js finds our own packages. */
async function linkWorkspaces(
  locked: LockedPackages,
  workspaces: readonly string[],
  out: string,
): Promise<void> {
  for (const [place, { link, resolved }] of locked) {
    if (!link || resolved === undefined || !workspaces.includes(resolved)) continue;
    const path = join(out, place);
    await mkdir(dirname(path), { recursive: true });
    await symlink(relative(dirname(path), join(out, resolved)), path);
  }
}

/** The root's package.json: it makes the sources ES modules, and names the release. */
async function manifestOf(root: string, workspaces: readonly string[]): Promise<string> {
  const { name, version, license, type } = manifestSchema.parse(
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
  );
  return `${JSON.stringify({ name, version, private: true, license, type, workspaces }, undefined, 2)}\n`;
}
