import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { AwaitSharedReads } from '../ports/shared-reads.ts';

/**
 * The connections, whose changes of what calls get of them return once no call joins an earlier read: the calls of who
 * was told of a change meet it.
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
      // Calls get nothing of names and descriptions.
      return credential === undefined ? replaced : afterwards(replaced);
    },
  };
}

/** The auth providers, whose changes return once no call joins an earlier read of what they hold. */
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
