import { expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';

const { call, sent } = accountApi();

const AT = '2026-11-23T10:11:12.000Z';
const DESTINATION = {
  id: 'dst_1',
  name: 'Ours',
  url: 'https://receiver.example/events',
  headers: { authorization: null },
  isEnabled: false,
  disabledReason: 'consecutive_failures',
  consecutiveFailures: 5,
  maxConsecutiveFailures: 5,
  createdAt: AT,
  updatedAt: AT,
};
const ISSUED = { ...DESTINATION, signingSecret: 'whsec_once' };
const PATH = '/v1/triggers/destinations';

it('create takes headers from standard input, and shows the secret', async () => {
  const argv = ['destinations', 'create', '--to', DESTINATION.url, '--name', 'Ours', '--headers-stdin'];
  const piped = '{"authorization":"Bearer s3cret"}';
  const { code, out } = await call(
    [...argv, '--max-failures', '7'],
    { status: 201, body: ISSUED },
    { input: { piped } },
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/^Signing secret +whsec_once$/m)]);
  expect(out).toMatch(/^Headers +authorization$/m);
  expect(sent()).toEqual([
    {
      line: `POST ${PATH}`,
      body: {
        name: 'Ours',
        url: DESTINATION.url,
        headers: { authorization: 'Bearer s3cret' },
        maxConsecutiveFailures: 7,
      },
    },
  ]);
});

it('list and get show why a destination is disabled', async () => {
  const body = { items: [DESTINATION], totalCount: 1, offset: 0, top: 100 };
  const listed = await call(['destinations', 'list'], { status: 200, body });
  expect(listed.out).toMatch(/dst_1 .*disabled by failures/);
  const shown = await call(['destinations', 'get', 'dst_1'], { status: 200, body: DESTINATION });
  expect(shown.out).toMatch(/^Status +disabled by failures$/m);
});

it.each([
  [['update', 'dst_1', '--to', 'https://a.example/'], { url: 'https://a.example/' }],
  [['enable', 'dst_1'], { isEnabled: true }],
  [['disable', 'dst_1'], { isEnabled: false }],
])('%j sends the change', async (argv, body) => {
  expect((await call(['destinations', ...argv], { status: 200, body: DESTINATION })).code).toBe(0);
  expect(sent()).toEqual([{ line: `PATCH ${PATH}/dst_1`, body }]);
});

it('rotate-secret and delete need a confirmation', async () => {
  const refused = await call(['destinations', 'rotate-secret', 'dst_1'], { status: 200, body: ISSUED });
  expect([refused.code, sent()]).toEqual([2, []]);
  const rotated = await call(['destinations', 'rotate-secret', 'dst_1', '--yes'], {
    status: 200,
    body: ISSUED,
  });
  expect([rotated.code, sent()[0]?.line]).toEqual([0, `POST ${PATH}/dst_1/rotate-secret`]);
  const deleted = await call(['destinations', 'delete', 'dst_1', '--yes', '--json'], { status: 204 });
  expect(JSON.parse(deleted.out)).toEqual({ id: 'dst_1', isDeleted: true });
  expect(sent()[0]?.line).toBe(`DELETE ${PATH}/dst_1`);
});

it('a number of failures out of range is a usage error', async () => {
  const argv = ['destinations', 'update', 'dst_1', '--max-failures', '101'];
  expect((await call(argv, { status: 200, body: DESTINATION })).code).toBe(2);
});
