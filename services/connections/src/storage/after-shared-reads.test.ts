import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, details, newCredential, NOW, OWNER } from '../testing/builders.ts';
import { authProvidersAfterSharedReads, connectionsAfterSharedReads } from './after-shared-reads.ts';

type ChangedStore = Pick<ConnectionStore, 'setDefault' | 'setLicence' | 'delete' | 'replace'>;

const ctx = testContext(OWNER);
const { accountId } = OWNER;

/** Stores that record each change, and when shared reads were awaited. */
function world() {
  const done: string[] = [];
  const changed = <T>(what: string, result: T): Promise<T> => {
    done.push(what);
    return Promise.resolve(result);
  };
  const wait = (): Promise<void> => changed('waited', undefined);
  const store: ChangedStore = {
    setDefault: () => changed('default', connection()),
    setLicence: () => changed('licence', connection()),
    delete: () => changed('delete', true),
    replace: () => changed('replace', connection()),
  };
  const failingStore: ChangedStore = { ...store, delete: () => Promise.reject(new Error('away')) };
  const providers: Pick<AuthProviderStore, 'update'> = { update: () => changed('provider', 'taken') };
  return {
    done,
    connections: connectionsAfterSharedReads(store, wait),
    authProviders: authProvidersAfterSharedReads(providers, wait),
    failing: connectionsAfterSharedReads(failingStore, wait),
  };
}

test('a change of what calls get returns once no call joins an earlier read; one of the name returns at once', async () => {
  const { done, connections, authProviders } = world();
  const replacement = { details: details(), applicationName: undefined, now: NOW };
  await connections.setDefault(ctx, accountId, 7, NOW);
  await connections.setLicence(ctx, accountId, 7, { status: 'none', expiresAt: null }, NOW);
  expect(await connections.delete(ctx, accountId, 7, NOW)).toBe(true);
  await connections.replace(ctx, accountId, 7, { ...replacement, credential: newCredential() });
  await connections.replace(ctx, accountId, 7, { ...replacement, credential: undefined });
  expect(await authProviders.update(ctx, accountId, 1, {}, { isMove: () => false, now: NOW })).toBe('taken');
  const each = ['default', 'licence', 'delete', 'replace'].flatMap((change) => [change, 'waited']);
  expect(done).toEqual([...each, 'replace', 'provider', 'waited']);
});

test('a change that fails is reported at once', async () => {
  const { done, failing } = world();
  await expect(failing.delete(ctx, accountId, 7, NOW)).rejects.toThrow('away');
  expect(done).toEqual([]);
});
