import type { DataKeyRecord, DataKeyStore } from '../sealing/data-keys.ts';

/** A DataKeyStore in memory for unit tests; it passes the suite of the real one. */
export function memoryDataKeyStore(): DataKeyStore & { readonly records: Map<string, DataKeyRecord> } {
  const records = new Map<string, DataKeyRecord>();
  return {
    records,
    find: (scope) => Promise.resolve(records.get(scope)),
    insertIfAbsent(record) {
      const stored = records.get(record.scope) ?? record;
      records.set(record.scope, stored);
      return Promise.resolve(stored);
    },
    replace(old, next) {
      const stored = records.get(old.scope);
      if (stored?.id === old.id && stored.wrapped === old.wrapped)
        records.set(old.scope, { ...next, scope: old.scope, id: old.id });
      return Promise.resolve();
    },
    remove(scope) {
      records.delete(scope);
      return Promise.resolve();
    },
  };
}
