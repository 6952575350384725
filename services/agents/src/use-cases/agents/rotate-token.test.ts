import { expect, test } from 'vitest';
import { ctx, stranger, useCaseDeps } from '../../testing/use-case-deps.ts';
import { rotateToken } from './rotate-token.ts';

test('a new token replaces the former one, and the agent has left', async () => {
  const { deps, create } = useCaseDeps();
  const { id, token } = await create();
  await expect(rotateToken(deps, stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const rotated = await rotateToken(deps, ctx, id);
  expect(rotated.reveal()).not.toBe(token.reveal());
  expect((await deps.agents.findToken(ctx, 'acc_1', id))?.reveal()).toBe(rotated.reveal());
  expect(await deps.agents.find(ctx, 'acc_1', id)).toMatchObject({ hasLeft: true });
});
