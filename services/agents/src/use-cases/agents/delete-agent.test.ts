import { expect, test } from 'vitest';
import { ctx, stranger, useCaseDeps } from '../../testing/use-case-deps.ts';
import { deleteAgent } from './delete-agent.ts';

test('an agent of the account is deleted with its connection', async () => {
  const { deps, connections, create } = useCaseDeps();
  const { id } = await create();
  await expect(deleteAgent(deps, stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await deleteAgent(deps, ctx, id);
  expect([deps.agents.stored.size, connections.size]).toEqual([0, 0]);
  await expect(deleteAgent(deps, ctx, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
