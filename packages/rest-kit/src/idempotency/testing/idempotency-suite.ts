import { guid } from '@fairlead/service-kit/ids';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { expect, test } from 'vitest';
import type { KeyLock } from '../domain/record.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';

const LONG_MS = 60_000;

/** A call of an account, with a long lease unless `leaseMs` is given. */
export function newLock(
  o: { readonly accountId?: string | undefined; readonly leaseMs?: number } = {},
): KeyLock {
  return {
    lockId: guid(),
    accountId: 'accountId' in o ? o.accountId : 'acc_a',
    fingerprint: 'fingerprint',
    leaseMs: o.leaseMs ?? LONG_MS,
  };
}

/** Stands in for a sealed value, which is opaque for stores. */
export function sealed(text: string): SealedValue {
  return text as SealedValue;
}

/** The test suite of every IdempotencyStore. `make` creates an empty store whose keys are free again after `retentionMs`. */
export function idempotencyStoreSuite(
  make: (o?: { readonly retentionMs: number }) => IdempotencyStore,
): void {
  const answer = { status: 201, pieces: [sealed('one'), sealed('two'), sealed('three')] };

  test('a free key goes to the first call; a later one gets its record', async () => {
    const store = make();
    const [first, id] = [newLock(), guid()];
    expect(await store.acquire(id, first)).toBeUndefined();
    const standing = { kind: 'locked', lockId: first.lockId, fingerprint: first.fingerprint };
    expect(await store.acquire(id, newLock())).toEqual(standing);
    expect(await store.acquire(guid(), newLock())).toBeUndefined();
  });

  test('of many at once one gets the key', async () => {
    const store = make();
    const id = guid();
    const locks = Array.from({ length: 50 }, () => newLock());
    const standings = await Promise.all(locks.map((lock) => store.acquire(id, lock)));
    const [winner, ...others] = locks.filter((_lock, index) => standings[index] === undefined);
    expect(others).toEqual([]);
    expect(new Set(standings.flatMap((standing) => standing?.lockId ?? []))).toEqual(
      new Set([winner?.lockId]),
    );
  });

  test('what was kept is found, all of its pieces in order, and no call takes it over', async () => {
    const store = make();
    const [lock, id] = [newLock({ leaseMs: 0 }), guid()];
    await store.acquire(id, lock);
    expect(await store.keep(id, lock.lockId, answer)).toBe(true);
    const { lockId, fingerprint } = lock;
    expect(await store.acquire(id, newLock())).toEqual({ kind: 'kept', lockId, fingerprint, answer });
    expect(await store.takeOver(id, lockId, newLock())).toBe(false);
  });

  test('keeping again after an attempt that nobody was told of is harmless', async () => {
    const store = make();
    const [lock, id] = [newLock(), guid()];
    await store.acquire(id, lock);
    await store.keep(id, lock.lockId, answer);
    expect(await store.keep(id, lock.lockId, answer)).toBe(true);
    expect(await store.acquire(id, newLock())).toMatchObject({ kind: 'kept', answer });
  });

  test('a lease that lasts keeps others out; one that is over lets one of many take over', async () => {
    const store = make();
    const [held, left] = [guid(), guid()];
    const [holder, crashed] = [newLock(), newLock({ leaseMs: 0 })];
    await store.acquire(held, holder);
    await store.acquire(left, crashed);
    expect(await store.takeOver(held, holder.lockId, newLock())).toBe(false);
    const taken = await Promise.all(
      Array.from({ length: 20 }, () => store.takeOver(left, crashed.lockId, newLock())),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('a call whose key was taken over stores and releases nothing', async () => {
    const store = make();
    const [crashed, next, id] = [newLock({ leaseMs: 0 }), newLock(), guid()];
    await store.acquire(id, crashed);
    expect(await store.takeOver(id, crashed.lockId, next)).toBe(true);
    expect(await store.keep(id, crashed.lockId, answer)).toBe(false);
    await store.release(id, crashed.lockId);
    expect(await store.acquire(id, newLock())).toMatchObject({ kind: 'locked', lockId: next.lockId });
  });

  test('a released key is free, and not taken over; a kept one is not released', async () => {
    const store = make();
    const [lock, again, id] = [newLock({ leaseMs: 0 }), newLock(), guid()];
    await store.acquire(id, lock);
    await store.release(id, lock.lockId);
    expect(await store.takeOver(id, lock.lockId, newLock())).toBe(false);
    expect(await store.acquire(id, again)).toBeUndefined();
    await store.keep(id, again.lockId, answer);
    await store.release(id, again.lockId);
    expect(await store.acquire(id, newLock())).toMatchObject({ kind: 'kept' });
  });

  test('after its time a key is free, whatever stands under it', async () => {
    const store = make({ retentionMs: 0 });
    const [lock, id] = [newLock(), guid()];
    await store.acquire(id, lock);
    await store.keep(id, lock.lockId, answer);
    expect(await store.acquire(id, newLock())).toBeUndefined();
    expect(await store.acquire(id, newLock())).toBeUndefined();
  });
}
