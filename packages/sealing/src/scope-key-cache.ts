import type { DataKeyStore } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { newDataKey, unwrapScopeKeys } from './scope-keys.ts';
import type { ScopeKeys } from './scope-keys.ts';
import { SealingError } from './sealed-value.ts';
import type { DataKey } from './sealed-value.ts';

/** How long a cached data key may be used to seal: a replacement waits for longer than this before it seals values anew. */
export const SEALS_FOR_MS = 60_000;
const CACHE_LIMIT = 10_000;

/** The unwrapped keys of scopes. */
export interface ScopeKeyCache {
  /** The keys of a scope, for a purpose that does not depend on which data key is current; created if there are none. */
  get(scope: string): Promise<ScopeKeys>;
  /** A data key that is current, or was at most SEALS_FOR_MS ago; created if there is none. */
  forSealing(scope: string): Promise<DataKey>;
  /** The current or former data key of this id. Throws a SealingError if the scope has no such key. */
  forOpening(scope: string, id: string): Promise<DataKey>;
  drop(scope: string): void;
}

interface Entry {
  keys: Promise<ScopeKeys>;
  readAtMs: number;
  refreshed?: Promise<ScopeKeys> | undefined;
}

/** A cache of at most 10 000 scopes; the least recently used one is evicted. `nowMs` is a monotonic clock. */
export function createScopeKeyCache(o: {
  readonly encryption: KeyEncryption;
  readonly store: DataKeyStore;
  readonly nowMs?: () => number;
}): ScopeKeyCache {
  const { encryption, store, nowMs = () => performance.now() } = o;
  const entries = new Map<string, Entry>();

  async function load(scope: string): Promise<ScopeKeys> {
    const record = await store.find(scope);
    if (record === undefined) throw new SealingError('The key of this value does not exist.');
    return unwrapScopeKeys(encryption, record);
  }

  async function loadOrCreate(scope: string): Promise<ScopeKeys> {
    const record = await store.find(scope);
    if (record !== undefined) return unwrapScopeKeys(encryption, record);
    // Another process may have created the keys first; every process uses the stored ones.
    const stored = await store.insertIfAbsent(await newDataKey(encryption, scope));
    return unwrapScopeKeys(encryption, stored);
  }

  /** Reads the keys again; unwraps them only if they have changed. */
  async function refresh(scope: string, known: ScopeKeys): Promise<ScopeKeys> {
    const record = await store.find(scope);
    return record?.id === known.current.id ? known : loadOrCreate(scope);
  }

  function entryOf(scope: string, make: (scope: string) => Promise<ScopeKeys>): Entry {
    const known = entries.get(scope);
    const entry = known ?? { keys: make(scope), readAtMs: nowMs() };
    // Moving a hit to the end makes the first entry the least recently used.
    entries.delete(scope);
    entries.set(scope, entry);
    const [oldest] = entries.keys();
    if (entries.size > CACHE_LIMIT && oldest !== undefined) entries.delete(oldest);
    if (known === undefined) {
      entry.keys.catch(() => {
        if (entries.get(scope) === entry) entries.delete(scope);
      });
    }
    return entry;
  }

  async function fresh(scope: string, entry: Entry): Promise<ScopeKeys> {
    const readAtMs = nowMs();
    const keys = await refresh(scope, await entry.keys);
    entry.keys = Promise.resolve(keys);
    entry.readAtMs = readAtMs;
    return keys;
  }

  return {
    get: (scope) => entryOf(scope, loadOrCreate).keys,
    async forSealing(scope) {
      const entry = entryOf(scope, loadOrCreate);
      if (nowMs() - entry.readAtMs < SEALS_FOR_MS) return (await entry.keys).current;
      entry.refreshed ??= fresh(scope, entry).finally(() => (entry.refreshed = undefined));
      return (await entry.refreshed).current;
    },
    async forOpening(scope, id) {
      const known = findKey(await entryOf(scope, load).keys, id);
      if (known !== undefined) return known;
      entries.delete(scope);
      const stored = findKey(await entryOf(scope, load).keys, id);
      if (stored === undefined) throw new SealingError('The key of this value does not exist.');
      return stored;
    },
    drop: (scope) => void entries.delete(scope),
  };
}

function findKey({ current, former }: ScopeKeys, id: string): DataKey | undefined {
  return current.id === id ? current : former.find((key) => key.id === id);
}
