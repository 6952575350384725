import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { mcpServer } from '../../testing/servers.ts';
import { getServer } from './get-server.ts';

it('finds a server of the caller’s account by the hash of its token; NOT_FOUND without the hash otherwise', async () => {
  const servers = {
    find: (_ctx: unknown, accountId: string, hash: string) =>
      Promise.resolve(accountId === 'mine' && hash === 'known' ? mcpServer() : undefined),
  };
  const get = (accountId: string, hash: string) => getServer({ servers }, testContext({ accountId }), hash);
  expect(await get('mine', 'known')).toEqual(mcpServer());
  const refusal = { code: 'NOT_FOUND', message: 'The MCP server does not exist.' };
  await expect(get('other', 'known')).rejects.toMatchObject(refusal);
  await expect(get('mine', 'unknown')).rejects.toMatchObject(refusal);
});
