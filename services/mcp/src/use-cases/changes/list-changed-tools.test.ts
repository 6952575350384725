import { expect, it } from 'vitest';
import { changedSend, changingServer, ctx, upstream } from '../../testing/changing-server.ts';
import { acceptChanges } from './accept-changes.ts';

it('the record shows a change that no client has listed, and serves nothing for the first time', async () => {
  const { serve, record, stored, set, deps } = changingServer();
  expect([await record(), await stored()]).toEqual([[], []]);
  await serve();
  set(changedSend, upstream('new'));
  expect(await record()).toEqual([['send', 0]]);
  expect(await stored()).toEqual(['send']);
  await acceptChanges(deps, ctx, 'known');
  expect(await serve()).toEqual([]);
});
