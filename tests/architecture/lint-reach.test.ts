import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { boundaries } from '../../oxlint.boundaries.ts';
import config from '../../oxlint.config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CODE = '*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}';
/** From outermost to innermost: the innermost folder's rules apply. */
const LAYERS = ['rpc', 'routes', 'present', 'workers', 'events', 'storage', 'use-cases', 'ports', 'domain'];

const files = globSync(`services/**/${CODE}`, { cwd: ROOT, exclude: ['**/node_modules/**'] });

/** The files to which a file's guard applies: of the matching overrides, the last one counts. */
function guardOf(file: string): readonly string[] | undefined {
  return boundaries.findLast(({ files: globs }) => globs.some((glob) => matchesGlob(file, glob)))?.files;
}

/** The layer of a file, by its folder. */
function layerOf(file: string): string | undefined {
  return LAYERS.findLast((layer) => file.split('/').slice(3, -1).includes(layer));
}

describe('every source file of a service', () => {
  test('is TypeScript in src/, where the rules reach it', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((file) => !/^services\/[^/]+\/src\/.+\.ts$/.test(file))).toEqual([]);
    expect(files.filter((file) => config.ignorePatterns?.some((glob) => matchesGlob(file, glob)))).toEqual(
      [],
    );
  });

  test('has the guard of its layer, and no other', () => {
    const unguarded = files.filter((file) => {
      const guard = guardOf(file);
      if (guard === undefined) return true;
      const layer = layerOf(file);
      const isTest = file.endsWith('.test.ts') || file.includes('/testing/');
      const expected = isTest ? 'services/*/src/**/*.test.ts' : layerGlob(layer);
      return !guard.includes(expected);
    });
    expect(unguarded).toEqual([]);
  });

  test.each(LAYERS)('%s/ is guarded in a service that nobody has listed, and in a module of one', (layer) => {
    for (const folder of ['', 'module/', 'module/inner/']) {
      expect(guardOf(`services/brand-new/src/${folder}${layer}/file.ts`)).toContain(layerGlob(layer));
      expect(guardOf(`services/brand-new/src/${folder}${layer}/folder/file.ts`)).toContain(layerGlob(layer));
    }
  });
});

test('every override of the boundaries is in the configuration, in their order', () => {
  const inOrder = config.overrides?.filter(({ rules }) => rules?.['no-restricted-imports'] !== undefined);
  expect(inOrder).toEqual(boundaries);
});

function layerGlob(layer: string | undefined): string {
  return layer === undefined ? 'services/*/src/**/*.ts' : `services/*/src/**/${layer}/**/*.ts`;
}
