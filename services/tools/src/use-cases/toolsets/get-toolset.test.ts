import { confinedContext, testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { toolset } from '../../testing/toolsets.ts';
import { getToolset } from './get-toolset.ts';

it('finds the account’s toolset by its id', async () => {
  const find: Parameters<typeof getToolset>[0]['toolsets']['find'] = (_ctx, accountId, id) =>
    Promise.resolve(accountId === 'mine' && id === toolset().id ? toolset() : undefined);
  const get = (accountId: string, id: string) =>
    getToolset({ toolsets: { find } }, testContext({ accountId }), id);
  expect(await get('mine', toolset().id)).toEqual(toolset());
  await expect(get('other', toolset().id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const caller = { kind: 'serviceForAccount', service: 'mcp', accountId: 'mine' } as const;
  expect(await getToolset({ toolsets: { find } }, testContext({ caller }), toolset().id)).toEqual(toolset());
});

it('gives a caller who is confined to a toolset no other one, whether or not it exists', async () => {
  const find = () => Promise.resolve(toolset());
  const get = (own: string) =>
    getToolset({ toolsets: { find } }, confinedContext({ toolsetId: own, keyId: 'key_1' }), toolset().id);
  expect(await get(toolset().id)).toEqual(toolset());
  await expect(get('another')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
