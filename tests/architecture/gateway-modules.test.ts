import { globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../services/gateway/src', import.meta.url));

/** The files of other modules that one module of the gateway imports, including types; its tests are ignored. */
function importsOf(module: string): string[] {
  const files = globSync(`${module}/**/*.ts`, { cwd: SOURCES }).filter(
    (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
  );
  expect(files).not.toEqual([]);
  return files.flatMap((file) =>
    [...readFileSync(join(SOURCES, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map(([, path = '']) => normalize(join(dirname(file), path)))
      .filter((path) => !path.startsWith(`${module}/`)),
  );
}

const isOf =
  (...allowed: readonly string[]) =>
  (path: string): boolean =>
    allowed.some((it) => path === it || (it.endsWith('/') && path.startsWith(it)));

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
