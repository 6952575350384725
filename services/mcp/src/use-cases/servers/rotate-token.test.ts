import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { announced, LATER, references } from '../../testing/deps.ts';
import { mcpServer } from '../../testing/servers.ts';
import { rotateToken } from './rotate-token.ts';
import type { RotateTokenDeps } from './rotate-token.ts';

it('announces the new token under the server’s id; NOT_FOUND if another rotation came first', async () => {
  const { changeServers, of } = announced();
  const rotations: string[] = [];
  const deps: RotateTokenDeps = {
    changeServers,
    clock: references().clock,
    servers: {
      find: () => Promise.resolve(mcpServer()),
      rotate(_ctx, _account, { token, tokenHash, id }, now) {
        rotations.push(`${id} ${tokenHash}`);
        return Promise.resolve(tokenHash === 'current' ? mcpServer({ token, updatedAt: now }) : undefined);
      },
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  const rotated = await rotateToken(deps, ctx, 'current');
  expect(rotated.token.reveal()).not.toBe(mcpServer().token.reveal());
  expect(rotated.updatedAt).toEqual(LATER);
  await expect(rotateToken(deps, ctx, 'former')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(rotations).toEqual([`${mcpServer().id} current`, `${mcpServer().id} former`]);
  expect(of).toEqual([`acc_1 ${mcpServer().id}`, `acc_1 ${mcpServer().id}`]);
});
