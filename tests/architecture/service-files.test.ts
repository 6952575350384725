import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init, parse } from 'es-module-lexer';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const filesIn = (layer: string): readonly string[] =>
  globSync(`{services/*,packages/{audit-log,rest-kit}}/src/**/${layer}/**/*.ts`, {
    cwd: ROOT,
    exclude: ['**/testing/**', '**/*.test.ts'],
  });

/** The code of a file without types. */
function running(source: string): { readonly imports: number; readonly exports: readonly string[] } {
  const [imports, exports] = parse(stripTypeScriptTypes(source));
  return { imports: imports.length, exports: exports.map(({ n: name }) => name) };
}
const runningFile = (file: string) => running(readFileSync(join(ROOT, file), 'utf8'));

/** Use cases with state: the file is named by the verb, and its export creates the object that does it. */
const CREATORS: ReadonlyMap<string, string> = new Map([
  ['packages/audit-log/src/use-cases/record-event.ts', 'createAuditLog'],
  ['packages/rest-kit/src/idempotency/use-cases/run-once.ts', 'createIdempotentRunner'],
  ['services/connections/src/use-cases/read-tools-again.ts', 'createToolReader'],
  ['services/connections/src/use-cases/refresh-token.ts', 'createTokenRefresher'],
  ['services/gateway/src/authentication/use-cases/authenticate.ts', 'createAuthenticate'],
  ['services/triggers/src/use-cases/capture-firings.ts', 'createCapture'],
]);

/** Converts `execute-tool.ts` to `executeTool`, `list-oauth-clients.ts` to `listOAuthClients`. */
const verbOf = (file: string): string =>
  basename(file, '.ts')
    .replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll('Oauth', 'OAuth');

const isNamedFor = (file: string, exported: string): boolean =>
  exported === verbOf(file) || CREATORS.get(file) === exported;

/** Returns the files without a unit test beside them. */
function untested(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => !path.endsWith('.test.ts') && !all.has(path.replace(/\.ts$/, '.test.ts')));
}

/** Whether code creates a Date without an argument. Lint forbids the other ways to read the clock in domain/. */
const readsClock = (source: string): boolean =>
  /\bnew Date\b(?!\s*\(\s*[^\s)])|(?<!new )\bDate\(/.test(source);

describe('the files of a service', () => {
  beforeAll(() => init);

  test('ports are types and nothing else', () => {
    const files = filesIn('ports');
    expect(files.length).toBeGreaterThan(20);
    const withValues = files.filter((file) => {
      const { imports, exports } = runningFile(file);
      return imports > 0 || exports.length > 0;
    });
    expect(withValues).toEqual([]);
  });

  test('a use-case file exports one function and nothing else that runs', () => {
    const files = filesIn('use-cases');
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => runningFile(file).exports.length !== 1)).toEqual([]);
  });

  test('a use-case file is named for the verb that it exports, but for the named few that create what runs it', () => {
    const exported = filesIn('use-cases').map((file) => [file, runningFile(file).exports[0] ?? ''] as const);
    expect(exported.filter(([file, name]) => !isNamedFor(file, name))).toEqual([]);
    const creators = exported.filter(([file, name]) => CREATORS.get(file) === name).map(([file]) => file);
    expect(new Set(creators)).toEqual(new Set(CREATORS.keys()));
  });

  test.each(['createSeeds', 'createPlantSeed', 'PlantSeed', 'plantSeeds'])(
    'an export %s in plant-seed.ts is refused',
    (name) => {
      expect(isNamedFor('services/brand-new/src/use-cases/plant-seed.ts', name)).toBe(false);
    },
  );

  test('domain/ is given the time', () => {
    const files = filesIn('domain');
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => readsClock(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  test.each(['new Date()', 'new Date( )', 'const now = new Date;', 'Date()'])(
    '%s in domain/ is refused',
    (source) => {
      expect(readsClock(source)).toBe(true);
    },
  );

  test.each(['new Date(0)', 'new Date(\n  ms,\n)', 'expiresAt: Date)', 'isDate(value)'])(
    '%s in domain/ is fine',
    (source) => {
      expect(readsClock(source)).toBe(false);
    },
  );

  test('each use case has a unit test beside it', () => {
    expect(untested(globSync('{services,packages}/*/src/**/use-cases/**/*.ts', { cwd: ROOT }))).toEqual([]);
  });

  test('an integration test beside a use case is no unit test', () => {
    expect(untested(['a/plant-seed.ts', 'a/plant-seed.integration.test.ts', 'b/plant-seed.test.ts'])).toEqual(
      ['a/plant-seed.ts'],
    );
  });
});
