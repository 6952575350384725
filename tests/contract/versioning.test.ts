import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { get } from './support/api.ts';
import { row } from './support/row.ts';

const NOTICE_MONTHS = 12;

interface Operation {
  readonly deprecated?: boolean;
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Rows of the table "Deprecated now": the operation, and its two dates such as `2027-12-31`. */
function tableOf(page: string): { operation: string; since: string; sunset: string }[] {
  const [, section = ''] = page.split('\n## Deprecated now\n');
  return [...section.matchAll(/^\| `([A-Z]+ \S+)` +\| (\S+) +\| (\S+) +\|/gm)].map(
    ([, operation = '', since = '', sunset = '']) => ({ operation, since, sunset }),
  );
}

/** All violations of the policy by the deprecations of document and page. */
function faultsOf(paths: Paths, page: string): string[] {
  const table = tableOf(page);
  const deprecated = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.deprecated === true)
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  const undeclared = deprecated.filter(({ operation }) =>
    Object.values(operation.responses).some(
      ({ headers = {} }) => !('Deprecation' in headers && 'Sunset' in headers),
    ),
  );
  const names = deprecated.map(({ name }) => name);
  const short = table.filter(({ since, sunset }) => {
    const earliest = new Date(since);
    earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
    return !(new Date(sunset) >= earliest);
  });
  return [
    ...undeclared.map(({ name }) => `${name} does not declare its headers`),
    ...names
      .filter((name) => !table.some(({ operation }) => operation === name))
      .map((name) => `${name} is not in the table`),
    ...table
      .filter(({ operation }) => !names.includes(operation))
      .map(({ operation }) => `${operation} is not deprecated in the document`),
    ...short.map(({ operation }) => `${operation} has less notice than ${NOTICE_MONTHS} months`),
  ];
}

const page = readFileSync(new URL('../../docs/versioning.md', import.meta.url), 'utf8');
/** A page with one deprecation. */
const announcing = (since: string, sunset: string): string =>
  `\n## Deprecated now\n\n| \`GET /v1/old\` | ${since} | ${sunset} | \`GET /v1/new\` |\n`;

describe('Deprecation policy', () => {
  row(
    'versioning.12',
    'an operation is deprecated in the document, in its headers and in docs/versioning.md, with 12 months of notice',
    async () => {
      const document = expectStatus(await get('/openapi.json'), 200).body as { paths: Paths };
      expect(Object.keys(document.paths).length).toBeGreaterThan(50);
      expect(faultsOf(document.paths, page)).toEqual([]);
      expect(expectStatus(await get('/v1/auth/whoami'), 200).headers.get('sunset')).toBeNull();
    },
  );

  row('versioning.12', 'the check finds each way to break the policy', () => {
    const silent: Paths = { '/v1/old': { get: { deprecated: true, responses: { 200: {} } } } };
    const headers = { Deprecation: {}, Sunset: {} };
    const told: Paths = { '/v1/old': { get: { deprecated: true, responses: { 200: { headers } } } } };
    const inTime = announcing('2027-01-31', '2028-01-31');
    const tooSoon = announcing('2027-01-31', '2027-12-31');
    expect(faultsOf(silent, page)).toEqual([
      'GET /v1/old does not declare its headers',
      'GET /v1/old is not in the table',
    ]);
    expect(faultsOf(told, inTime)).toEqual([]);
    expect(faultsOf(told, tooSoon)).toEqual(['GET /v1/old has less notice than 12 months']);
    expect(faultsOf({}, inTime)).toEqual(['GET /v1/old is not deprecated in the document']);
  });
});
