import { globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init } from 'es-module-lexer';
import { beforeAll, expect, test } from 'vitest';
import { namedBy } from './import-graph.ts';

const SOURCES = fileURLToPath(new URL('../../services/gateway/src', import.meta.url));

beforeAll(() => init);

/** The imports of one module of the gateway in its source files, including types, without tests. */
function specifiersOf(module: string): { readonly file: string; readonly specifier: string }[] {
  const files = globSync(`${module}/**/*.ts`, { cwd: SOURCES }).filter(
    (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
  );
  expect(files).not.toEqual([]);
  return files.flatMap((file) =>
    namedBy(readFileSync(join(SOURCES, file), 'utf8'), file).map((specifier) => ({ file, specifier })),
  );
}

/** The imported files that belong to other modules. */
function importsOf(module: string): string[] {
  return specifiersOf(module)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ file, specifier }) => normalize(join(dirname(file), specifier)))
    .filter((path) => !path.startsWith(`${module}/`));
}

const isOf =
  (...allowed: readonly string[]) =>
  (path: string): boolean =>
    allowed.some((it) => path === it || (it.endsWith('/') && path.startsWith(it)));

test.each([
  "import { seed } from './seed.ts';",
  "import type { Seed } from './seed.ts';",
  "import './seed.ts';",
  "export { seed } from './seed.ts';",
  "export type { Seed } from './seed.ts';",
  "export * from './seed.ts';",
  "export const load = () => import('./seed.ts');",
  'export const load = () => import(/* late */ `./seed.ts`);',
  "export type Seed = import('./seed.ts').Seed;",
])('%s is an import of that file', (source) => {
  expect(namedBy(source, 'file.ts')).toEqual(['./seed.ts']);
});

const modules = readdirSync(SOURCES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
  .map(({ name }) => name);

/** Files about the form of credentials, and about open accounts. */
const isInterface = isOf('authentication/accounts.ts', 'authentication/bearer-token.ts');

test.each(modules.filter((name) => name !== 'authentication'))(
  '%s knows of authentication only its interface',
  (module) => {
    const known = importsOf(module).filter(isOf('authentication/'));
    expect(known.filter((path) => !isInterface(path))).toEqual([]);
  },
);

test('authentication knows no other module', () => {
  expect(importsOf('authentication')).toEqual([]);
});

/** The modules that may look up credentials, and erase accounts. */
const CALL_IDENTITY = new Set(['authentication', 'operator', 'routes']);

test.each(modules.filter((name) => !CALL_IDENTITY.has(name)))('%s knows no message of identity', (module) => {
  const specifiers = specifiersOf(module).map(({ specifier }) => specifier);
  expect(specifiers.filter((it) => it.startsWith('@fairlead/contracts/identity/'))).toEqual([]);
});
