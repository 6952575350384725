import { createConfigurableCanaries } from '@fairlead/service-kit/canary/canaries';
import type { CanaryRule } from '@fairlead/service-kit/canary/rules';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createCanaryChoice } from './choose-canaries.ts';
import { defineRoute } from './testing/define-route.ts';
import { OPERATOR_KEY, TEST_OWNER, call, startTestEdge } from './testing/edge.ts';

const answer = z.object({ canaries: z.string() });
const declaration = {
  method: 'get',
  tags: ['Items'],
  summary: 'Canaries',
  response: answer,
  errors: [],
} as const;
const ofAccount = defineRoute(
  { ...declaration, operationId: 'ofAccount', path: '/v1/canaries', auth: 'credential' },
  ({ ctx }) => Promise.resolve({ canaries: String(ctx.canaries) }),
);
const ofOperator = defineRoute(
  { ...declaration, operationId: 'ofOperator', path: '/operator/v1/canaries', auth: 'operator' },
  ({ ctx }) => Promise.resolve({ canaries: String(ctx.canaries) }),
);

/** The responses of an edge with these canaries. */
async function edgeWith(
  rules: Readonly<Record<string, Partial<Pick<CanaryRule, 'weight' | 'accounts' | 'headers'>>>>,
) {
  const canaries = createConfigurableCanaries();
  canaries.follow({ isRead: () => true, of: () => undefined, subscribe: () => () => undefined });
  canaries.setRules(
    new Map(
      Object.entries(rules).map(([service, rule]) => [
        service,
        { mode: 'gateway', weight: 0, accounts: [], headers: [], salt: 'f', ...rule },
      ]),
    ),
  );
  const edge = await startTestEdge({
    routes: [ofAccount, ofOperator],
    chooseCanaries: createCanaryChoice(canaries, (headers) => headers['x-operator'] === 'yes'),
  });
  onTestFinished(() => edge.close());
  const ask = async (headers: Record<string, string> = {}, path = '/v1/canaries'): Promise<string> =>
    answer.parse((await call(edge, 'GET', path, { headers })).body).canaries;
  return { ask };
}

test('a request has one choice for all services, by its account', async () => {
  const { ask } = await edgeWith({
    tools: { weight: 100 },
    catalog: { accounts: [TEST_OWNER.accountId] },
    delivery: { accounts: ['acc_other'] },
  });
  expect(await ask()).toBe('tools,catalog');
});

test('the header of a credential that may send it decides, for its service', async () => {
  const headers = [TEST_OWNER.credentialId];
  const { ask } = await edgeWith({ tools: { headers }, catalog: { headers, weight: 100 }, mcp: {} });
  expect(await ask()).toBe('catalog');
  expect(await ask({ 'x-canary-tools': 'true' })).toBe('tools,catalog');
  expect(await ask({ 'x-canary-catalog': 'false' })).toBe('');
  expect(await ask({ 'x-canary-mcp': 'true' })).toBe('catalog');
});

test('the header counts for nobody else', async () => {
  const { ask } = await edgeWith({ tools: { headers: ['key_other', 'operator'] } });
  expect(await ask({ 'x-canary-tools': 'true' })).toBe('');
  expect(await ask({ 'x-canary-tools': 'true', 'x-operator': 'yes' })).toBe('tools');
});

test('a request of the operator, who has no account, reaches a canary by the header only', async () => {
  const { ask } = await edgeWith({ tools: { headers: ['operator'], weight: 100 } });
  const operator = { ...OPERATOR_KEY, 'x-operator': 'yes' };
  expect(await ask(operator, '/operator/v1/canaries')).toBe('');
  expect(await ask({ ...operator, 'x-canary-tools': 'true' }, '/operator/v1/canaries')).toBe('tools');
});

test('without canaries there is no choice', () => {
  expect(createCanaryChoice(undefined, () => true)).toBeUndefined();
});
