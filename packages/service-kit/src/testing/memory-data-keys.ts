import type { DataKeyRecord, DataKeyStore } from '../sealing/data-keys.ts';

/** A DataKeyStore in memory for unit tests; it passes the suite of the real one. */
export function memoryDataKeyStore(): DataKeyStore & { readonly records: Map<string, DataKeyRecord> } {
  const records = new Map<string, DataKeyRecord>();
  const all = (): DataKeyRecord[] => [...records.values()];
  return {
    records,
    find: (scope) => Promise.resolve(records.get(scope)),
    insertIfAbsent(record) {
      const stored = records.get(record.scope) ?? record;
      records.set(record.scope, stored);
      return Promise.resolve(stored);
    },
    rewrap(keys) {
      const stored = keys.filter(({ old }) => {
        const record = records.get(old.scope);
        return record?.id === old.id && record.wrapped === old.wrapped;
      });
      for (const { old, wrapped } of stored) records.set(old.scope, { ...old, ...wrapped });
      return Promise.resolve(stored.length);
    },
    wrappingKeys: () => Promise.resolve([...new Set(all().map(({ wrappedWith }) => wrappedWith))]),
    countWrappedWith: (name) =>
      Promise.resolve(all().filter(({ wrappedWith }) => wrappedWith === name).length),
    listWrappedWith: (name, after, limit) =>
      Promise.resolve(
        all()
          .filter(({ scope, wrappedWith }) => wrappedWith === name && scope > after)
          .toSorted((a, b) => (a.scope < b.scope ? -1 : 1))
          .slice(0, limit),
      ),
    remove(scope) {
      records.delete(scope);
      return Promise.resolve();
    },
  };
}
