import { notFound } from '@fairlead/errors/api-error';
import { GOOD_KEY, OPERATOR_KEY, call } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { parseCanaryRules } from '@fairlead/service-kit/canary/rules';
import { canaryState } from '@fairlead/service-kit/canary/track';
import { afterEach, expect, test } from 'vitest';
import type { CanaryOperations } from '@fairlead/service-kit/canary/canary-operations';
import { awayServices, startGatewayEdge } from '../../testing/edge.ts';
import { abortCanary } from './abort-canary.ts';
import { listCanaries } from './list-canaries.ts';
import { promoteCanary } from './promote-canary.ts';
import { updateCanary } from './update-canary.ts';

const AT = '2026-11-29T12:00:00.000Z';
const routes = [listCanaries, updateCanary, abortCanary, promoteCanary];

let edge: TestEdge | undefined;
afterEach(() => edge?.close());

/** An edge whose installation has a canary of tools; `asked` has the requested changes. */
async function start(image = 'v2') {
  const [rule] = parseCanaryRules(
    '{"services":{"tools":{"mode":"gateway","weight":10,"salt":"s","image":"v2","accounts":["acc_1"]}}}'.replace(
      'v2',
      image,
    ),
  ).values();
  if (rule === undefined) throw new Error('There is no rule.');
  const asked: unknown[] = [];
  const { digest: of } = canaryState(rule, undefined);
  const obeyed = {
    weight: 10,
    isAborted: false,
    isOpen: true,
    revision: null,
    at: null,
    of,
    canaryAddresses: 2,
  };
  const report = (service: string) => ({
    service,
    instance: `${service}-1`,
    track: 'stable' as const,
    services: { tools: obeyed },
  });
  const reports = [report('mcp'), { ...report('gateway'), services: {} }];
  const changed = (service: string, weight: number, by: 'operator' | 'analysis', isAborted: boolean) => {
    asked.push([service, weight, by, isAborted]);
    if (service !== 'tools') throw notFound('canary', service);
    const state = canaryState(rule, { weight, by, isAborted, at: AT, of, revision: 1 });
    return { service, state, reports, lagging: [report('mcp')] };
  };
  const canaries: CanaryOperations = {
    list: () => Promise.resolve([{ service: 'tools', state: canaryState(rule, undefined), reports }]),
    setWeight: async (service, weight) => await Promise.resolve(changed(service, weight, 'operator', false)),
    abort: async (service, by) => await Promise.resolve(changed(service, 10, by, true)),
  };
  edge = await startGatewayEdge({ routes, services: awayServices({ canaries }) });
  const { url } = edge;
  const send = (method: string, path: string, json?: unknown, headers = OPERATOR_KEY) =>
    call({ url }, method, `/operator/v1/canaries${path}`, { headers, ...(json !== undefined && { json }) });
  return { send, asked, audited: edge.audited };
}

test('canaries are listed with what each process obeys', async () => {
  const { send } = await start();
  const { status, body } = await send('GET', '');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    totalCount: 1,
    items: [
      {
        service: 'tools',
        mode: 'gateway',
        weight: 10,
        isAborted: false,
        image: 'v2',
        rule: { weight: 10, accounts: ['acc_1'], headers: [] },
        change: null,
        processes: [
          { service: 'gateway', instance: 'gateway-1', track: 'stable', weight: null, canaryAddresses: null },
          { service: 'mcp', instance: 'mcp-1', track: 'stable', weight: 10, canaryAddresses: 2 },
        ],
      },
    ],
  });
});

test('a weight is set, the laggards are named, and the platform’s audit log has it', async () => {
  const { send, asked, audited } = await start();
  const { status, body } = await send('PATCH', '/tools', { weight: 25 });
  expect([status, asked]).toEqual([200, [['tools', 25, 'operator', false]]]);
  expect(body).toMatchObject({
    weight: 25,
    change: { by: 'operator', at: AT },
    laggingProcesses: [{ instance: 'mcp-1' }],
  });
  expect(audited).toMatchObject([
    { accountId: undefined, action: 'updateCanary', resource: { type: 'canary', id: 'tools' } },
  ]);
});

test('an abort says who aborts', async () => {
  const { send, asked } = await start();
  expect((await send('POST', '/tools/abort')).body).toMatchObject({ weight: 0, isAborted: true });
  expect((await send('POST', '/tools/abort?by=analysis')).body).toMatchObject({ change: { by: 'analysis' } });
  expect(asked).toEqual([
    ['tools', 10, 'operator', true],
    ['tools', 10, 'analysis', true],
  ]);
  expect((await send('POST', '/tools/abort?by=route')).status).toBe(400);
});

test('a promotion sends everything to the canary and gives the values that make it stable', async () => {
  const { send, asked } = await start();
  expect((await send('POST', '/tools/promote')).body).toMatchObject({
    weight: 100,
    values: { services: { tools: { image: { tag: 'v2' }, canary: { mode: 'none' } } } },
  });
  expect(asked).toEqual([['tools', 100, 'operator', false]]);
  await edge?.close();
  expect((await (await start('sha256:0a')).send('POST', '/tools/promote')).body).toMatchObject({
    values: { services: { tools: { image: { digest: 'sha256:0a' } } } },
  });
});

test.each([{}, { weight: 101 }, { weight: -1 }, { weight: '5' }])('%j is no weight', async (json) => {
  const { send, asked } = await start();
  const { status, body } = await send('PATCH', '/tools', json);
  expect([status, body['details'], asked]).toEqual([400, [expect.objectContaining({ field: 'weight' })], []]);
});

test.each(['catalog', 'Tools', 'a-b'])('%s has no canary', async (service) => {
  const { send } = await start();
  expect((await send('PATCH', `/${service}`, { weight: 5 })).body).toMatchObject({ errorCode: 'NOT_FOUND' });
});

test('a key of an account is refused', async () => {
  const { send, asked } = await start();
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', '/tools'],
    ['POST', '/tools/abort'],
    ['POST', '/tools/promote'],
  ] as const)
    expect((await send(method, path, method === 'PATCH' ? { weight: 5 } : undefined, GOOD_KEY)).status).toBe(
      401,
    );
  expect(asked).toEqual([]);
});
