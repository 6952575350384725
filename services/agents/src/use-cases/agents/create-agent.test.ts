import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { ctx, useCaseDeps } from '../../testing/use-case-deps.ts';
import { createAgent } from './create-agent.ts';

const sent = { applicationSlug: 'onprem-http', name: 'Lab', settings: {}, licenceStatus: 'active' } as const;

test('an agent is stored with its connection and a new token', async () => {
  const { deps, connections, create } = useCaseDeps();
  const agent = await create({ settings: { parallelTasks: 3 } });
  expect(agent).toMatchObject({ id: 1, name: 'Lab', settings: { parallelTasks: 3, pullPeriodSeconds: 10 } });
  expect(agent.token.reveal()).toMatch(/^opa_/);
  expect(connections.get(agent.creationId)).toBe(1);
  expect(deps.agents.stored.get(agent.creationId)?.state).toBe('ready');
});

test.each([
  [{ applicationSlug: '' }, 'VALIDATION_ERROR'],
  [{ applicationSlug: 'crm' }, 'NOT_FOUND'],
  [{ settings: { pullPeriodSeconds: 1 } }, 'VALIDATION_ERROR'],
])('a refused agent %j leaves nothing', async (members, code) => {
  const { deps, connections, create } = useCaseDeps();
  await expect(create(members)).rejects.toMatchObject({ code });
  expect([deps.agents.stored.size, connections.size]).toEqual([0, 0]);
});

test('a connection that cannot be stored leaves nothing', async () => {
  const { deps } = useCaseDeps();
  const create = () => Promise.reject(new ApiError('UNAVAILABLE', 'Away.'));
  const failing = { ...deps, connections: { ...deps.connections, create } };
  await expect(createAgent(failing, ctx, sent)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(deps.agents.stored.size).toBe(0);
});

test('a creation that was undone meanwhile removes its connection', async () => {
  const { deps, connections } = useCaseDeps();
  const completeCreation = () => Promise.resolve(undefined);
  const swept = { ...deps, agents: { ...deps.agents, completeCreation } };
  await expect(createAgent(swept, ctx, sent)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(connections.size).toBe(0);
});
