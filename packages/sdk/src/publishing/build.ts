import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});

/** The modules that programs import: `@fairlead/sdk` and its subpaths. */
const ENTRIES = {
  '.': 'fairlead',
  './connect': 'connect',
  './ai': 'ai',
  './anthropic': 'anthropic',
  './langchain': 'langchain',
  './openai': 'openai',
};

/** Writes the published package to `folder`: JavaScript with declarations, for `npm publish <folder>`. */
export function build(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  execFileSync(process.execPath, [compiler, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const source = manifest.parse(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')));
  const published = {
    ...source,
    type: 'module',
    sideEffects: false,
    exports: Object.fromEntries(
      Object.entries(ENTRIES).map(([path, name]) => [
        path,
        { types: `./${name}.d.ts`, default: `./${name}.js` },
      ]),
    ),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  cpSync(join(PACKAGE, 'README.md'), join(folder, 'README.md'));
  cpSync(join(PACKAGE, '../../LICENSE'), join(folder, 'LICENSE'));
}
