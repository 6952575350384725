import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { setUpWrites } from '../testing/application-writes.ts';
import { deleteAccountApplication } from './delete-account-application.ts';

const ctx = testContext({ accountId: 'acc_1' });

it('removes the application of the caller’s account and announces the change', async () => {
  const { deps, written, announced } = setUpWrites();
  await deleteAccountApplication(deps, ctx, 'mcp-7');
  expect(written).toEqual([['acc_1', 'mcp-7']]);
  expect(announced).toEqual([['acc_1', ctx]]);
});

it('announces a change even after a failed removal, which may have happened', async () => {
  const { deps, announced } = setUpWrites({ isBroken: true });
  await expect(deleteAccountApplication(deps, ctx, 'mcp-7')).rejects.toThrow('no database');
  expect(announced).toEqual([['acc_1', ctx]]);
});

it('removes it for a service that acts for the account, too', async () => {
  const { deps, written } = setUpWrites();
  const caller = { kind: 'serviceForAccount', service: 'connections', accountId: 'acc_2' } as const;
  await deleteAccountApplication(deps, { ...ctx, caller }, 'mcp-7');
  expect(written).toEqual([['acc_2', 'mcp-7']]);
});
