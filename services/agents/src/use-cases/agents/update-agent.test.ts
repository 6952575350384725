import { expect, test, vi } from 'vitest';
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

const respond = async (deps: ReturnType<typeof useCaseDeps>['deps'], result: object): Promise<string> => {
  await vi.waitFor(() => expect(deps.tasks.stored.size).toBe(1), 90_000);
  const [task] = deps.tasks.stored.values();
  deps.waiting.resolve(task?.id ?? '', Buffer.from(JSON.stringify(result)));
  return task?.id ?? '';
};

test('an agent that is online gets the settings, and confirms them', async () => {
  const { deps, create } = useCaseDeps();
  const { id } = await create();
  expect(await updateAgent(deps, ctx, id, {})).toEqual({ appliedToAgent: false, dispatchedTaskIds: [] });
  deps.agents.see(id, deps.clock.now());
  const updated = updateAgent(deps, ctx, id, { parallelTasks: 3 });
  const taskId = await respond(deps, { isSuccess: true });
  expect(JSON.parse(deps.tasks.stored.get(taskId)?.input ?? '')).toMatchObject({ parallelTasks: 3 });
  expect(await updated).toEqual({ appliedToAgent: true, dispatchedTaskIds: [taskId] });
});

test('an agent that refuses the settings is an error with its text, and they are stored all the same', async () => {
  const { deps, create } = useCaseDeps();
  const { id } = await create();
  deps.agents.see(id, deps.clock.now());
  const updated = updateAgent(deps, ctx, id, { parallelTasks: 3 });
  await Promise.all([
    expect(updated).rejects.toMatchObject({
      code: 'OPA_AGENT_ERROR',
      message: 'The on-prem agent Lab refused the settings: Out of memory.',
    }),
    respond(deps, { isSuccess: false, errorMessage: 'Out of memory.' }),
  ]);
  expect((await deps.agents.find(ctx, 'acc_1', id))?.settings.parallelTasks).toBe(3);
});

test('an agent that does not answer gets the settings later', async () => {
  const { deps, create } = useCaseDeps();
  const { id } = await create();
  deps.agents.see(id, deps.clock.now());
  const caller = { ...ctx, signal: AbortSignal.abort() };
  const updated = await updateAgent(deps, caller, id, { parallelTasks: 3 });
  expect(updated).toEqual({ appliedToAgent: false, dispatchedTaskIds: [...deps.tasks.stored.keys()] });
});
