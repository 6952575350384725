import { expect, it } from 'vitest';
import type { DataKeyRecord, DataKeyStore } from '../sealing/data-keys.ts';
import { guid } from '../ids.ts';

function record(scope: string, wrapped = 'wrapped'): DataKeyRecord {
  return { scope, id: guid(), wrappedWith: 'v1', wrapped };
}

/** The guarantees of every DataKeyStore. */
export function dataKeyStoreSuite(store: () => DataKeyStore): void {
  it('a scope without a key has none', async () => {
    expect(await store().find(guid())).toBeUndefined();
  });

  it('what was inserted is found, as it was', async () => {
    const first = record(guid());
    expect(await store().insertIfAbsent(first)).toEqual(first);
    expect(await store().find(first.scope)).toEqual(first);
  });

  it('the first of many at once wins and everybody learns which', async () => {
    const scope = guid();
    const stored = await Promise.all(Array.from({ length: 10 }, () => store().insertIfAbsent(record(scope))));
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
    expect(await store().find(scope)).toEqual(stored[0]);
  });

  it('a replacement takes the place of what it was made from', async () => {
    const old = await store().insertIfAbsent(record(guid()));
    const next = { ...old, wrappedWith: 'v2', wrapped: 'anew' };
    await store().replace(old, next);
    expect(await store().find(old.scope)).toEqual(next);
  });

  it('a replacement of what is no longer stored changes nothing', async () => {
    const old = await store().insertIfAbsent(record(guid()));
    const next = { ...old, wrapped: 'anew' };
    await store().replace(old, next);
    await store().replace(old, { ...old, wrapped: 'late' });
    expect(await store().find(old.scope)).toEqual(next);
  });

  it('a removed key is gone, and removing it again is no error', async () => {
    const { scope } = await store().insertIfAbsent(record(guid()));
    await store().remove(scope);
    await store().remove(scope);
    expect(await store().find(scope)).toBeUndefined();
  });
}
