import type { DataKeyRecord, DataKeyStore } from '../data-keys.ts';

/** A DataKeyStore in memory for unit tests; it passes the suite of the real one. */
export function memoryDataKeyStore(): DataKeyStore & { readonly records: Map<string, DataKeyRecord> } {
  const records = new Map<string, DataKeyRecord>();
  const all = (): DataKeyRecord[] => [...records.values()];
  const isStored = (old: DataKeyRecord): boolean => records.get(old.scope)?.wrapped === old.wrapped;
  const page = (after: string, limit: number, is: (record: DataKeyRecord) => boolean): DataKeyRecord[] =>
    all()
      .filter((record) => is(record) && record.scope > after)
      .toSorted((a, b) => (a.scope < b.scope ? -1 : 1))
      .slice(0, limit);
  return {
    records,
    find: (scope) => Promise.resolve(records.get(scope)),
    findMany: (scopes) => Promise.resolve(all().filter(({ scope }) => scopes.includes(scope))),
    insertIfAbsent(record) {
      const stored = records.get(record.scope) ?? record;
      records.set(record.scope, stored);
      return Promise.resolve(stored);
    },
    rewrap(keys) {
      const stored = keys.filter(({ old }) => isStored(old));
      for (const { old, wrapped } of stored) records.set(old.scope, { ...old, ...wrapped });
      return Promise.resolve(stored.length);
    },
    replace(old, next) {
      const mayReplace = isStored(old);
      if (mayReplace) records.set(old.scope, next);
      return Promise.resolve(mayReplace);
    },
    list: (after, limit) => Promise.resolve(page(after, limit, () => true)),
    removeFormer(replacement, kept) {
      for (const { former: _, ...record } of all())
        if (record.replacement === replacement && !kept.includes(record.scope))
          records.set(record.scope, record);
      return Promise.resolve();
    },
    countFormer: () => Promise.resolve(all().filter(({ former }) => former !== undefined).length),
    wrappingKeys: () => Promise.resolve([...new Set(all().map(({ wrappedWith }) => wrappedWith))]),
    countWrappedWith: (name) =>
      Promise.resolve(all().filter(({ wrappedWith }) => wrappedWith === name).length),
    listWrappedWith: (name, after, limit) =>
      Promise.resolve(page(after, limit, ({ wrappedWith }) => wrappedWith === name)),
    remove(scope) {
      records.delete(scope);
      return Promise.resolve();
    },
  };
}
