import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { ownerOf } from '../../domain/detached-call.ts';
import { detachedCall, MemoryCalls } from '../../testing/memory-calls.ts';
import { listCalls } from './list-calls.ts';

const ctx = testContext();

test('a page has as many calls as it may, and says whether there are more', async () => {
  const detachedCalls = new MemoryCalls();
  const { owner } = ownerOf(ctx, 's');
  for (const callId of ['call_3', 'call_2', 'call_1'])
    detachedCalls.calls.set(callId, { ...detachedCall({ callId }), owner });
  const list = (after: string, limit = 2) =>
    listCalls({ detachedCalls }, ctx, { serverId: 's', after, limit });
  const first = await list('');
  expect([first.calls.map(({ callId }) => callId), first.hasMore]).toEqual([['call_3', 'call_2'], true]);
  const second = await list('call_2');
  expect([second.calls.map(({ callId }) => callId), second.hasMore]).toEqual([['call_1'], false]);
  for (const limit of [0, 101])
    await expect(list('', limit)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
