import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { ownerOf } from '../../domain/detached-call.ts';
import { detachedCall, MemoryCalls } from '../../testing/memory-calls.ts';
import { cancelCall } from './cancel-call.ts';

const ctx = testContext();

function setUp() {
  const detachedCalls = new MemoryCalls();
  detachedCalls.calls.set('call_1', { ...detachedCall(), owner: ownerOf(ctx, 's').owner });
  const announced: unknown[] = [];
  const callChanges = { announce: (...change: unknown[]) => void announced.push(change) };
  const cancel = (callId: string) =>
    cancelCall({ detachedCalls, callChanges }, ctx, { serverId: 's', callId });
  return { cancel, announced };
}

test('an open call is cancelled, which its process is told; one that has ended stays as it is', async () => {
  const { cancel, announced } = setUp();
  for (const _attempt of [1, 2]) expect(await cancel('call_1')).toMatchObject({ end: { kind: 'cancelled' } });
  expect(announced).toEqual([['call_1', { isCancelled: true }]]);
});

test('an unknown call is not found', async () => {
  await expect(setUp().cancel('call_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
