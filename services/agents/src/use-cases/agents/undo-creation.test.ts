import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { ctx, useCaseDeps } from '../../testing/use-case-deps.ts';
import { undoCreation } from './undo-creation.ts';

test('a creation and its connection are removed; one that is gone needs nothing', async () => {
  const { deps, connections, create } = useCaseDeps();
  const { creationId } = await create();
  await undoCreation(deps, ctx, 'acc_1', creationId);
  await undoCreation(deps, ctx, 'acc_1', creationId);
  expect([deps.agents.stored.size, connections.size]).toEqual([0, 0]);
});

test('a failure leaves it to the sweep', async () => {
  const { deps, create } = useCaseDeps();
  const { creationId } = await create();
  const away = { delete: () => Promise.reject(new ApiError('UNAVAILABLE', 'Away.')) };
  await undoCreation({ ...deps, connections: away }, ctx, 'acc_1', creationId);
  expect(deps.agents.stored.get(creationId)?.state).toBe('removing');
});
