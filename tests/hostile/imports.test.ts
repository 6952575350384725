import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestServer } from '@fairlead/connector-runtime/testing/http-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { del, post } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import { startBystander } from './support/bystander.ts';
import type { Bystander } from './support/bystander.ts';
import { othersServedDuring } from './support/observe.ts';

const IMPORT = '/admin/v1/applications/import';
const MIB = 1024 * 1024;

let bystander: Bystander;
let vendor: TestServer;
let sentBytes = 0;
beforeAll(async () => {
  bystander = await startBystander();
  vendor = await startTestServer(({ path }) =>
    path === '/endless'
      ? { body: '{"a":"', endless: { part: 'x'.repeat(65_536), onGone: (bytes) => (sentBytes = bytes) } }
      : { body: text(path) },
  );
});
afterAll(async () => {
  await bystander.stop();
  await vendor.close();
});

const operation = (schema: object) => ({
  post: {
    operationId: 'attack',
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { content: { 'application/json': { schema } } } },
  },
});
const document = (members: object) => ({
  openapi: '3.0.3',
  info: { title: 'Hostile' },
  servers: [{ url: vendor.url }],
  paths: { '/a': operation({ $ref: '#/components/schemas/S0' }) },
  ...members,
});
const schemas = (count: number, of: (at: number) => object) => ({
  components: {
    schemas: Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${String(at)}`, of(at)])),
  },
});
const to = (at: number) => ({ $ref: `#/components/schemas/S${String(at)}` });

/** Texts served by the vendor. */
function text(path: string): string {
  switch (path) {
    case '/aliases':
      return Array.from(
        { length: 40 },
        (_, at) =>
          `a${String(at)}: &a${String(at)} [${at === 0 ? 'x' : `*a${String(at - 1)}, *a${String(at - 1)}`}]`,
      ).join('\n');
    case '/deep':
      return `{"openapi":"3.0.0","paths":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`;
    case '/nested-yaml':
      return `openapi: ${'['.repeat(100_000)}`;
    default:
      return '';
  }
}

/** On a busy machine a call without a worker in time is refused, and repeated here. */
async function send(members: object): Promise<Answer> {
  const once = () => post(IMPORT, { source: 'openapi', slug: 'hostile', ...members });
  for (;;) {
    const answer = await othersServedDuring(bystander, once);
    if (answer.status !== 429) return answer;
    expect(answer.headers.get('retry-after'), answer.text).toBe('1');
  }
}

it.each<[string, () => object, string]>([
  [
    'of 100 000 operations',
    () => ({
      document: document({
        paths: Object.fromEntries(
          Array.from({ length: 100_000 }, (_, at) => [`/${String(at)}`, { get: {} }]),
        ),
      }),
    }),
    'body: must not hold more than',
  ],
  [
    'of 10 000 operations, none of them named',
    () => ({
      document: document({
        paths: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, at) => [`/${String(at)}`, { get: { responses: {} } }]),
        ),
      }),
    }),
    'operations: the document has 10000 operations',
  ],
  ['at an endless address', () => ({ url: `${vendor.url}/endless` }), 'url: could not be fetched'],
  ['of YAML whose aliases multiply each other', () => ({ url: `${vendor.url}/aliases` }), 'url: '],
  ['that is nested deep', () => ({ url: `${vendor.url}/deep` }), 'url: is nested deeper than 100 levels'],
  ['of YAML that is nested deep', () => ({ url: `${vendor.url}/nested-yaml` }), 'url: '],
  ['at a private address', () => ({ url: 'http://10.0.0.1/openapi.json' }), 'url: could not be fetched'],
])('a document %s is refused with a clear error', async (_name, members, issue) => {
  const answer = await send(members());
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ status: 400 });
  expect(answer.body.message).toContain(issue);
});

it('of an endless document little more is read than one may have', () => {
  expect(sentBytes).toBeLessThan(16 * MIB);
});

it.each<[string, () => object]>([
  [
    'whose schemas multiply each other',
    () => document(schemas(60, (at) => ({ oneOf: at === 59 ? [] : [to(at + 1), to(at + 1)] }))),
  ],
  [
    'of 5 MiB whose schemas contain each other',
    () =>
      document(
        schemas(200, () => ({
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 200 }, (_, at) => [
              `m${String(at)}`,
              { ...to(at), description: 'x'.repeat(60) },
            ]),
          ),
        })),
      ),
  ],
  [
    'with members named __proto__ and patterns that cost much',
    () => {
      const properties = {
        constructor: { type: 'string', pattern: '^(a+)+$' },
        a: { type: 'string', pattern: '(.*)*x' },
      };
      const json = JSON.stringify(document({ ...schemas(1, () => ({ type: 'object', properties })) }));
      return JSON.parse(json.replace('"a":{', '"__proto__":{')) as object;
    },
  ],
])('a document %s is read or refused, and others do not notice', async (_name, make) => {
  const answer = await send({ document: make() });
  expect([201, 400], answer.text.slice(0, 500)).toContain(answer.status);
  if (answer.status === 201) await del('/admin/v1/applications/hostile');
});

// The last test, because imports of an account whose workers were lost have to wait.
it('a document whose operations take more processor time than an import may is refused for it', async () => {
  const count = 60;
  const members = Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${String(at)}`, to(at)]));
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const { post: attack } = operation(to(at));
      return [`/${String(at)}`, { post: { ...attack, operationId: `attack${String(at)}` } }];
    }),
  );
  const all = schemas(count, () => ({ type: 'object', properties: members }));
  const answer = await send({ document: document({ ...all, paths }) });
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ status: 400 });
  expect(answer.body.message).toContain('document: takes longer to read than an import may');
});
