import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { AwaitSharedReads } from '../ports/shared-reads.ts';

/**
 * Wraps the connection store: a change that calls can observe returns only when no call can join an earlier read. So a caller who was told
 * of a change sees it in its next call.
 */
export function connectionsAfterSharedReads<
  S extends Pick<ConnectionStore, 'setDefault' | 'setLicence' | 'delete' | 'replace'>,
>(store: S, awaitSharedReads: AwaitSharedReads): S {
  const afterwards = after(awaitSharedReads);
  return {
    ...store,
    setDefault: (...change) => afterwards(store.setDefault(...change)),
    setLicence: (...change) => afterwards(store.setLicence(...change)),
    delete: (...change) => afterwards(store.delete(...change)),
    replace(...change) {
      const [, , , { credential }] = change;
      const replaced = store.replace(...change);
      // Calls do not read names and descriptions.
      return credential === undefined ? replaced : afterwards(replaced);
    },
  };
}

/** Wraps the auth provider store: a change returns only when no call can join an earlier read. */
export function authProvidersAfterSharedReads<S extends Pick<AuthProviderStore, 'update'>>(
  store: S,
  awaitSharedReads: AwaitSharedReads,
): S {
  return { ...store, update: (...change) => after(awaitSharedReads)(store.update(...change)) };
}

function after(awaitSharedReads: AwaitSharedReads): <T>(change: Promise<T>) => Promise<T> {
  return async (change) => {
    const changed = await change;
    await awaitSharedReads();
    return changed;
  };
}
