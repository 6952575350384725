import { expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';

const { call, sent } = accountApi();

const AT = '2026-11-23T10:11:12.000Z';
const TRIGGER = {
  id: 'trg_1',
  name: 'Orders',
  triggerTypeSlug: 'http_webhook',
  connectionId: 7,
  configuration: {},
  filter: 'body.total > 10',
  destinationIds: ['dst_1', 'dst_2'],
  isEnabled: false,
  inboundUrl: 'https://fairlead.example/hooks/abc',
  lastFiredAt: AT,
  lastError: 'The filter failed.',
  gaps: [{ from: AT, to: AT, reason: 'An item was too large.' }],
  createdAt: AT,
  updatedAt: AT,
};
const PATH = '/v1/triggers';
const page = (items: readonly unknown[]) => ({ items, totalCount: items.length, offset: 0, top: 100 });

it('types are listed, of an application and by a search', async () => {
  const type = {
    slug: 'sandbox-crm-deal-updated',
    name: 'Deal updated',
    description: 'Fires.',
    applicationSlug: 'sandbox-crm',
    requiresConnection: true,
    configSchema: {},
    payloadSchema: {},
    kind: 'webhook',
    createdAt: AT,
    updatedAt: AT,
  };
  const argv = ['triggers', 'types', '--application', 'sandbox-crm', '--search', 'deal'];
  const { out } = await call(argv, { status: 200, body: page([type]) });
  expect(out).toMatch(/sandbox-crm-deal-updated +sandbox-crm +webhook +needed +Deal updated/);
  expect(sent()[0]?.line).toMatch(
    /^GET \/v1\/triggers\/types\?(?=.*applicationSlug=sandbox-crm)(?=.*search=deal)/,
  );
});

it('list and get show why a trigger does not fire', async () => {
  const listed = await call(['triggers', 'list'], { status: 200, body: page([TRIGGER]) });
  expect(listed.out).toMatch(/trg_1 +Orders +http_webhook +disabled +\S+ +The filter failed\./);
  const shown = await call(['triggers', 'get', 'trg_1'], { status: 200, body: TRIGGER });
  expect(shown.out).toMatch(/^Address +https:\/\/fairlead\.example\/hooks\/abc$/m);
  expect(shown.out).toMatch(/^Gaps .*An item was too large\.$/m);
});

it.each([
  [['create'], 'POST', PATH, 201],
  [['update', 'trg_1'], 'PATCH', `${PATH}/trg_1`, 200],
])('%j sends the file', async (argv, method, path, status) => {
  const piped = '{"name":"Orders","triggerTypeSlug":"http_webhook"}';
  const { code } = await call(
    ['triggers', ...argv, '--file', '-'],
    { status, body: TRIGGER },
    { input: { piped } },
  );
  expect(code).toBe(0);
  expect(sent()).toEqual([{ line: `${method} ${path}`, body: JSON.parse(piped) as unknown }]);
});

it.each([
  ['enable', true],
  ['disable', false],
])('%s changes nothing else', async (name, isEnabled) => {
  expect((await call(['triggers', name, 'trg_1'], { status: 200, body: TRIGGER })).code).toBe(0);
  expect(sent()).toEqual([{ line: `PATCH ${PATH}/trg_1`, body: { isEnabled } }]);
});

it('test shows what the destination answered', async () => {
  const body = { delivered: false, status_code: 500, error: 'http_500' };
  const { out } = await call(['triggers', 'test', 'trg_1', '--to', 'dst_2'], { status: 200, body });
  expect(out).toMatch(/^Error +http_500$/m);
  expect(sent()[0]?.line).toBe(`POST ${PATH}/trg_1/test?destinationId=dst_2`);
});

it('delete needs a confirmation', async () => {
  const refused = await call(['triggers', 'delete', 'trg_1'], { status: 204 });
  expect([refused.code, sent()]).toEqual([2, []]);
  const deleted = await call(['triggers', 'delete', 'trg_1', '--yes', '--json'], { status: 204 });
  expect(JSON.parse(deleted.out)).toEqual({ id: 'trg_1', isDeleted: true });
  expect(sent()[0]?.line).toBe(`DELETE ${PATH}/trg_1`);
});
