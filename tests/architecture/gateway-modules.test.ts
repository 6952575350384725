import { globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init } from 'es-module-lexer';
import { beforeAll, expect, test } from 'vitest';
import { namedBy } from './import-graph.ts';

const SOURCES = fileURLToPath(new URL('../../services/gateway/src', import.meta.url));

beforeAll(() => init);

/** The files of other modules that one module of the gateway imports, including types; its tests are ignored. */
function importsOf(module: string): string[] {
  const files = globSync(`${module}/**/*.ts`, { cwd: SOURCES }).filter(
    (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
  );
  expect(files).not.toEqual([]);
  return files.flatMap((file) =>
    namedBy(readFileSync(join(SOURCES, file), 'utf8'), file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => normalize(join(dirname(file), specifier)))
      .filter((path) => !path.startsWith(`${module}/`)),
  );
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

test('access/ knows neither the edge nor identity', () => {
  expect(importsOf('access')).toEqual([]);
});

/** The gateway's edge, the presentation of identity's records, and identity itself. */
const KNOW_IDENTITY = new Set(['identity', 'oauth', 'routes', 'present', 'pages', 'openapi', 'testing']);
const others = readdirSync(SOURCES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !KNOW_IDENTITY.has(entry.name))
  .map(({ name }) => name);

test.each(others)(
  '%s knows identity and the authorization server by access/ and its own ports only',
  (module) => {
    expect(importsOf(module).filter(isOf('identity/', 'oauth/'))).toEqual([]);
  },
);

test('identity knows nothing of the gateway except access/ and what modules are opened with', () => {
  const allowed = isOf('access/', 'module-resources.ts');
  expect(importsOf('identity').filter((path) => !allowed(path))).toEqual([]);
});

test('the authorization server knows identity and the interface of the audit log besides', () => {
  const allowed = isOf(
    'access/',
    'module-resources.ts',
    'identity/',
    'audit/audit-log.ts',
    'audit/domain/event.ts',
  );
  expect(importsOf('oauth').filter((path) => !allowed(path))).toEqual([]);
});
