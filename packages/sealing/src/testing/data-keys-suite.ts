import { expect, it } from 'vitest';
import type { DataKeyRecord, DataKeyStore } from '../data-keys.ts';
import { guid } from '@fairlead/service-kit/ids';

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

  it('another wrapping takes the place of the one that it was made from', async () => {
    const old = await store().insertIfAbsent(record(guid()));
    const wrapped = { wrappedWith: 'v2', wrapped: 'anew' };
    expect(await store().rewrap([{ old, wrapped }])).toBe(1);
    expect(await store().find(old.scope)).toEqual({ ...old, ...wrapped });
  });

  it('another wrapping of what is no longer stored changes nothing', async () => {
    const old = await store().insertIfAbsent(record(guid()));
    const first = { wrappedWith: 'v2', wrapped: 'anew' };
    expect(await store().rewrap([{ old, wrapped: first }])).toBe(1);
    expect(await store().rewrap([{ old, wrapped: { wrappedWith: 'v3', wrapped: 'late' } }])).toBe(0);
    await store().remove(old.scope);
    expect(await store().rewrap([{ old: { ...old, ...first }, wrapped: first }])).toBe(0);
    expect(await store().rewrap([])).toBe(0);
    expect(await store().find(old.scope)).toBeUndefined();
  });

  it('a replacement takes the place of the data key that it was made from, and of no other', async () => {
    const old = await store().insertIfAbsent(record(guid()));
    const former = [{ id: old.id, wrapped: 'by the next' }];
    const next = { ...record(old.scope, guid()), replacement: 1, former, fingerprintKey: 'wrapped' };
    expect(await store().replace(old, next)).toBe(true);
    expect(await store().replace(old, { ...next, wrapped: 'late' })).toBe(false);
    expect(await store().find(old.scope)).toEqual(next);
    expect(await store().findMany([old.scope, guid()])).toEqual([next]);
  });

  it('former data keys are counted and removed, of one replacement and but those that are kept', async () => {
    const before = await store().countFormer();
    const create = async (replacement: number) => {
      const former = [{ id: guid(), wrapped: 'wrapped' }];
      return store().insertIfAbsent({ ...record(guid()), replacement, former });
    };
    const [done, kept, other] = [await create(7), await create(7), await create(8)];
    expect(await store().countFormer()).toBe(before + 3);
    await store().removeFormer(7, [kept.scope]);
    expect(await store().countFormer()).toBe(before + 2);
    expect((await store().find(done.scope))?.former).toBeUndefined();
    expect(await store().findMany([kept.scope, other.scope])).toEqual(expect.arrayContaining([kept, other]));
  });

  it('data keys are listed by scope in pages', async () => {
    const prefix = `zzz-${guid()}`;
    const records = Array.from({ length: 3 }, (_, at) => record(`${prefix}-${at}`));
    for (const one of records.toReversed()) await store().insertIfAbsent(one);
    expect(await store().list(prefix, 2)).toEqual(records.slice(0, 2));
    expect(await store().list(`${prefix}-1`, 2)).toEqual(records.slice(2));
  });

  it('what a key-encryption key wraps is counted, and listed by scope in pages', async () => {
    const name = guid();
    const records = Array.from({ length: 5 }, (_, at) => ({ ...record(`${name}-${at}`), wrappedWith: name }));
    for (const one of records.toReversed()) await store().insertIfAbsent(one);
    expect(await store().wrappingKeys()).toContain(name);
    expect(await store().countWrappedWith(name)).toBe(5);
    expect(await store().listWrappedWith(name, '', 3)).toEqual(records.slice(0, 3));
    expect(await store().listWrappedWith(name, `${name}-2`, 3)).toEqual(records.slice(3));
    expect(await store().countWrappedWith(guid())).toBe(0);
  });

  it('a removed key is gone, and removing it again is no error', async () => {
    const { scope } = await store().insertIfAbsent(record(guid()));
    await store().remove(scope);
    await store().remove(scope);
    expect(await store().find(scope)).toBeUndefined();
  });
}
