import { randomInt } from 'node:crypto';
import { systemClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Migration } from '@fairlead/service-kit/mongo/schema';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { CredentialStore } from '../ports/credential-store.ts';
import type { RevocationStore } from '../ports/revocation-store.ts';
import { createAccountData } from '../storage/account-data.ts';
import { createConnectionChanges } from '../storage/connection-changes.ts';
import { createConnectionCounts } from '../storage/connection-counts.ts';
import { listingOf } from '../storage/connection-listing.ts';
import { connectionCollection } from '../storage/connection.collection.ts';
import { createConnectionRepository } from '../storage/connection.repository.ts';
import { createCredentialVault } from '../storage/credential-vault.ts';
import { createCredentialRepository } from '../storage/credential.repository.ts';
import { createErasedGrants } from '../storage/erased-grants.ts';
import { createRevocationRepository } from '../storage/revocation.repository.ts';
import { schema } from '../storage/schema.ts';
import { connection } from './builders.ts';

/** The stores of connections, on their own database. */
export interface ConnectionStorage {
  readonly store: MongoStore & { drop(): Promise<void> };
  readonly connections: ConnectionStore;
  readonly credentials: CredentialStore;
  readonly revocations: RevocationStore;
  /** Ids of connections recorded as used, in order. */
  readonly used: readonly number[];
  readonly erase: (accountId: string) => Promise<boolean>;
}

/** Opens the stores with the service's migrations, or with the given ones. Change records are not written. */
export async function openConnectionStorage(
  mongodbUri: string,
  migrations: readonly Migration[] | undefined = schema.migrations,
): Promise<ConnectionStorage> {
  const store = await testStore(mongodbUri, schema.collections, migrations);
  const keyRing = { current: 'v1', keys: new Map([['v1', new Secret<Uint8Array>(Buffer.alloc(32, 1))]]) };
  const sealer = createSealer({ encryption: ringKeyEncryption(keyRing), store: mongoDataKeyStore(store) });
  const vault = createCredentialVault(sealer);
  const counts = createConnectionCounts(store);
  const changes = createConnectionChanges(store, counts, () => Promise.resolve());
  const accountData = createAccountData(store, sealer, createErasedGrants(store, vault, systemClock));
  const used: number[] = [];
  return {
    store,
    used,
    connections: createConnectionRepository(store, vault, counts, changes),
    credentials: createCredentialRepository(store, vault, changes, { note: ({ _id }) => used.push(_id) }),
    revocations: createRevocationRepository(store, vault, sealer),
    erase: (accountId) => accountData.erase(testContext(), accountId),
  };
}

const BATCH = 1_000;

/** Ids of loaded connections: far above the sequence's, and hardly another process's. */
const FIRST_LOADED_ID = 1_000_000_000 + randomInt(1_000) * 1_000_000;
let loaded = 0;

/** Stores many connections that are not defaults, listed and counted as when created; far faster than one by one. */
export async function loadConnections(
  store: MongoStore,
  accountId: string,
  count: number,
  of: (index: number) => Partial<Connection>,
): Promise<void> {
  const counts = createConnectionCounts(store);
  for (let from = 0; from < count; from += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
      const { id: _id, credentialVersion: version, ...given } = connection(of(from + index));
      return {
        ...given,
        ...listingOf(given, given.createdAt),
        _id: FIRST_LOADED_ID + (loaded += 1),
        accountId,
        isDefault: false,
        fields: JSON.stringify(given.fields),
        fieldOptions: JSON.stringify(given.fieldOptions),
        metadata: given.metadata.text,
        credential: { version, secrets: null, tokens: null, lease: null },
      };
    });
    await store.withTransaction(async (session) => {
      await store.collection(connectionCollection).insertMany(documents, { session });
      await counts.add(
        session,
        documents.map((present) => ({ former: undefined, present })),
      );
    });
  }
}
