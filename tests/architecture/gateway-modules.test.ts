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

/** What any module may know: the principal and the interface of authentication, and what modules are opened with. */
const COMMON = [
  'authentication/authenticate.ts',
  'authentication/accounts.ts',
  'authentication/bearer-token.ts',
  'authentication/principal.ts',
  'module-resources.ts',
];

/** What each module may know of the others besides COMMON; a new module knows nothing until it stands here. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  authentication: ['present/'],
  audit: [],
  idempotency: [],
  limits: [],
  operator: ['audit/audit-log.ts', 'present/'],
  proxy: [],
  usage: [],
  // The edge and what it shows.
  http: ['audit/audit-log.ts', 'audit/domain/', 'idempotency/', 'limits/limits.ts'],
  openapi: ['http/'],
  pages: ['openapi/document.ts'],
  present: ['audit/', 'http/', 'usage/usage-reports.ts'],
  routes: ['http/', 'present/', 'services.ts'],
};
const modules = readdirSync(SOURCES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
  .map(({ name }) => name);

test.each(modules)('%s knows no more of the other modules than it may', (module) => {
  const allowed = isOf(...COMMON, ...(KNOWN[module] ?? []));
  expect(importsOf(module).filter((path) => !allowed(path))).toEqual([]);
});
