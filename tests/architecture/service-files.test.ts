import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init, parse } from 'es-module-lexer';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const filesIn = (layer: string): readonly string[] =>
  globSync(`services/*/src/**/${layer}/**/*.ts`, { cwd: ROOT, exclude: ['**/testing/**', '**/*.test.ts'] });

/** The content of a file at run time, without its types. */
function running(file: string): { readonly imports: number; readonly exports: readonly string[] } {
  const [imports, exports] = parse(stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8')), file);
  return { imports: imports.length, exports: exports.map(({ n: name }) => name) };
}

/** `execute-tool.ts` → `ExecuteTool`. */
const pascalNameOf = (file: string): string =>
  basename(file, '.ts').replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

describe('the files of a service', () => {
  beforeAll(() => init);

  test('ports are types and nothing else', () => {
    const files = filesIn('ports');
    expect(files.length).toBeGreaterThan(20);
    const withValues = files.filter((file) => {
      const { imports, exports } = running(file);
      return imports > 0 || exports.length > 0;
    });
    expect(withValues).toEqual([]);
  });

  test('a use-case file exports one function and nothing else that runs', () => {
    const files = filesIn('use-cases');
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => running(file).exports.length !== 1)).toEqual([]);
  });

  test('a use-case file is named for the verb that it exports, unless it creates what runs it', () => {
    const misnamed = filesIn('use-cases').filter((file) => {
      const [name = ''] = running(file).exports;
      const isVerb = name.charAt(0).toUpperCase() + name.slice(1) === pascalNameOf(file);
      return !isVerb && !name.startsWith('create');
    });
    expect(misnamed).toEqual([]);
  });
});
