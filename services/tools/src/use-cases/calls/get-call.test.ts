import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { ownerOf } from '../../domain/detached-call.ts';
import { detachedCall, MemoryCalls } from '../../testing/memory-calls.ts';
import { getCall } from './get-call.ts';

const ctx = testContext();

function setUp() {
  const detachedCalls = new MemoryCalls();
  const { owner } = ownerOf(ctx, 's');
  detachedCalls.calls.set('call_1', { ...detachedCall(), owner });
  const watched = { begun: 0, ended: 0 };
  const change = Promise.withResolvers<void>();
  const callChanges = {
    watch() {
      watched.begun += 1;
      return { changed: () => change.promise, end: () => void (watched.ended += 1) };
    },
  };
  const get = (waitMs: number, callId = 'call_1', serverId = 's') =>
    getCall({ detachedCalls, callChanges }, ctx, ownerOf(ctx, serverId), { callId, waitMs });
  return { get, detachedCalls, change, watched };
}

test('a call is returned as it is, or once it has ended', async () => {
  const { get, detachedCalls, change, watched } = setUp();
  expect(await get(0)).toMatchObject({ end: undefined });
  const waiting = get(3_600_000);
  await expect.poll(() => watched.begun).toBe(2);
  await detachedCalls.cancel(ctx, { ...ownerOf(ctx, 's'), callId: 'call_1' });
  change.resolve();
  expect(await waiting).toMatchObject({ end: { kind: 'cancelled' } });
  expect(watched.ended).toBe(watched.begun);
});

test('a call of another server, or an unknown one, is not found', async () => {
  const { get } = setUp();
  await expect(get(0, 'call_1', 'other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(get(0, 'call_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
