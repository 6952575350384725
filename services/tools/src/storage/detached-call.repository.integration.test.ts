import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { MAX_OPEN_CALLS, ownerOf } from '../domain/detached-call.ts';
import type { CallName } from '../domain/detached-call.ts';
import { callHolderCollection, detachedCallCollection } from './detached-call.collection.ts';
import { createDetachedCallRepository } from './detached-call.repository.ts';

const HOUR = 3_600_000;
let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [
    detachedCallCollection,
    callHolderCollection,
    creationLockCollection,
  ]);
});
afterAll(() => store.drop());

let ids = 0;

async function setUp() {
  const ctx = testContext();
  const clock = new ManualClock(new Date('2026-11-29T12:00:00.000Z'));
  const calls = createDetachedCallRepository({ store, clock });
  const holder = `holder-${(ids += 1)}`;
  await calls.beat(holder, 10_000);
  const owner = ownerOf(ctx, 's');
  const insert = async (o: Partial<CallName> = {}) => {
    const name = { ...owner, callId: `call_${(ids += 1)}`, ...o };
    const call = await calls.insert(ctx, {
      ...name,
      toolName: 'echo',
      holder,
      requests: [],
      keptMs: HOUR,
    });
    return { name, call };
  };
  return { ctx, clock, calls, holder, owner, insert };
}

test('a call is found by its owner alone, ends once, and is gone when its time is over', async () => {
  const { ctx, clock, calls, holder, insert } = await setUp();
  const { name, call } = await insert();
  expect(await calls.find(ctx, name)).toEqual(call);
  expect(await calls.find(ctx, { ...name, owner: 'another' })).toBeUndefined();
  expect(await calls.find(ctx, { ...name, accountId: 'another' })).toBeUndefined();
  expect(await calls.open(name.accountId, [name.callId, 'call_none'])).toEqual(new Set([name.callId]));
  await calls.end(name, { kind: 'outcome', outcome: Buffer.from('done'), isFailed: true });
  expect(await calls.cancel(ctx, name)).toBe(false);
  await calls.end(name, { kind: 'lost' });
  const found = await calls.find(ctx, name);
  expect(found?.end).toEqual({ kind: 'outcome', outcome: Buffer.from('done'), isFailed: true });
  const [listed] = await calls.list(ctx, name, { after: undefined, limit: 1 });
  expect(listed).toMatchObject({ end: 'outcome', isFailed: true });
  expect(await calls.open(name.accountId, [name.callId])).toEqual(new Set());
  await calls.beat(holder, HOUR * 2);
  clock.advance(HOUR);
  expect(await calls.find(ctx, name)).toBeUndefined();
});

test('a call that was cancelled stays so, whatever its process stores later', async () => {
  const { ctx, calls, insert } = await setUp();
  const { name } = await insert();
  expect(await calls.cancel(ctx, name)).toBe(true);
  await calls.end(name, { kind: 'outcome', outcome: Buffer.from('late'), isFailed: false });
  expect(await calls.find(ctx, name)).toMatchObject({ end: { kind: 'cancelled' } });
});

test('an open call whose process is gone is lost, and stays so when the process comes back', async () => {
  const { ctx, clock, calls, holder, owner, insert } = await setUp();
  const [read, listed] = [await insert(), await insert()];
  clock.advance(9_000);
  expect(await calls.find(ctx, read.name)).toMatchObject({ end: undefined });
  clock.advance(2_000);
  expect(await calls.find(ctx, read.name)).toMatchObject({ end: { kind: 'lost' } });
  const all = await calls.list(ctx, owner, { after: undefined, limit: 10 });
  expect(all.map(({ callId, end }) => [callId, end])).toEqual([
    [listed.name.callId, 'lost'],
    [read.name.callId, 'lost'],
  ]);
  await calls.beat(holder, 10_000);
  await calls.end(read.name, { kind: 'outcome', outcome: Buffer.from('late'), isFailed: false });
  expect(await calls.find(ctx, read.name)).toMatchObject({ end: { kind: 'lost' } });
});

test('calls are listed from the newest on, after one of them', async () => {
  const { ctx, clock, calls, owner, insert } = await setUp();
  const names: string[] = [];
  for (const _call of [1, 2, 3]) {
    names.unshift((await insert()).name.callId);
    clock.advance(1);
  }
  await insert({ owner: 'another' });
  const list = async (after: string | undefined) =>
    (await calls.list(ctx, owner, { after, limit: 2 })).map(({ callId }) => callId);
  expect(await list(undefined)).toEqual(names.slice(0, 2));
  expect(await list(names[1])).toEqual(names.slice(2));
  expect(await list('call_none')).toEqual([]);
});

test('an account has a limited number of open calls; lost ones and those that have ended leave room', async () => {
  const { ctx, clock, calls, insert } = await setUp();
  const inserted = await Promise.all(Array.from({ length: MAX_OPEN_CALLS }, () => insert()));
  expect(inserted.every(({ call }) => call !== undefined)).toBe(true);
  expect((await insert()).call).toBeUndefined();
  for (const { name } of inserted.slice(0, 1)) await calls.cancel(ctx, name);
  expect((await insert()).call).toBeDefined();
  expect((await insert()).call).toBeUndefined();
  clock.advance(11_000);
  expect((await insert()).call).toBeDefined();
});
