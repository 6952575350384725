import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'rolldown';
import { z } from 'zod';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Writes the published package to `folder`: one bundle without dependencies, for `npm publish <folder>`. */
export async function build(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { output } = await bundle({
    input: { fairlead: join(PACKAGE, 'src/cli.ts') },
    platform: 'node',
    output: { dir: join(folder, 'lib'), format: 'esm', chunkFileNames: '[name].js' },
    logLevel: 'silent',
  });
  const source: unknown = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const published = {
    ...manifest.parse(source),
    description: 'The command line of Fairlead.',
    type: 'module',
    engines: { node: '>=22' },
    bin: { fairlead: 'lib/fairlead.js' },
    exports: { './package.json': './package.json' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licencesOf(modules));
  cpSync(join(PACKAGE, 'README.md'), join(folder, 'README.md'));
  cpSync(join(PACKAGE, '../../LICENSE'), join(folder, 'LICENSE'));
}

/** The licences of the bundled libraries, which must be distributed with them. */
function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((file) => libraryOf(file)));
  return [...folders]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = manifest.parse(
        JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
      );
      const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
      const text =
        file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .join('\n----\n\n');
}

/** The folder of the library that a module belongs to; undefined for our own modules. */
function libraryOf(file: string): readonly string[] {
  if (!file.includes('/node_modules/')) return [];
  let folder = dirname(file);
  // A folder within a library may have a manifest that only sets the module type.
  while (!/\/node_modules\/(?:@[^/]+\/)?[^/]+$/.test(folder)) folder = dirname(folder);
  return existsSync(join(folder, 'package.json')) ? [folder] : [];
}
