import { expect, test } from 'vitest';
import { ctx, stranger, useCaseDeps } from '../../testing/use-case-deps.ts';
import { updateAgent } from './update-agent.ts';

test('settings are changed in the agent of the account', async () => {
  const { deps, create } = useCaseDeps();
  const { id } = await create();
  await expect(updateAgent(deps, stranger, id, {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await updateAgent(deps, ctx, id, { logLevel: 'Debug' });
  const refused = updateAgent(deps, ctx, id, { logLevel: 'Error', parallelTasks: 0 });
  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect((await deps.agents.find(ctx, 'acc_1', id))?.settings.logLevel).toBe('Debug');
});

test('a change that meets another one is made on what that left', async () => {
  const { deps, create } = useCaseDeps();
  const { id } = await create();
  let hasMet = false;
  const agents = {
    ...deps.agents,
    async saveSettings(...args: Parameters<typeof deps.agents.saveSettings>) {
      if (!hasMet) {
        hasMet = true;
        await updateAgent(deps, ctx, id, { parallelTasks: 7 });
      }
      return await deps.agents.saveSettings(...args);
    },
  };
  await updateAgent({ ...deps, agents }, ctx, id, { logLevel: 'Debug' });
  expect((await deps.agents.find(ctx, 'acc_1', id))?.settings).toMatchObject({
    parallelTasks: 7,
    logLevel: 'Debug',
  });
});
