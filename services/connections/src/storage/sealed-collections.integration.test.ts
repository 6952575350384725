import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { replaceDataKeys } from '@fairlead/sealing/testing/replace-data-keys';
import { tryEveryBinding } from '@fairlead/sealing/testing/sealed-bindings';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { completedSignIn, newConnection, redeemableSignIn } from '../testing/builders.ts';
import { createAuthProviderRepository } from './auth-provider.repository.ts';
import { connectionCollection } from './connection.collection.ts';
import { createConnectionCounts } from './connection-counts.ts';
import { toDocument } from './connection-mapping.ts';
import { createConnectionRepository } from './connection.repository.ts';
import { createCredentialVault } from './credential-vault.ts';
import { createCredentialRepository } from './credential.repository.ts';
import { revocationCollection, revocationOf } from './revocation.collection.ts';
import { schema } from './schema.ts';
import { sealedCollections } from './sealed-collections.ts';
import { signInCollection } from './sign-in.collection.ts';
import { createSignInRepository } from './sign-in.repository.ts';

const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));
const ctx = testContext();
const now = new Date();

let store: Awaited<ReturnType<typeof testStore>>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

test('a sealed value opens in its own record, account and slot only, and data keys are replaced under all of them', async () => {
  const sealer = createSealer({ encryption, store: mongoDataKeyStore(store) });
  const vault = createCredentialVault(sealer);
  const connections = createConnectionRepository(store, vault, createConnectionCounts(store), {
    record: () => Promise.resolve(),
  });
  const credentials = createCredentialRepository(
    store,
    vault,
    { record: () => Promise.resolve() },
    { note: () => undefined },
  );
  const signIns = createSignInRepository(store, vault);
  const providers = createAuthProviderRepository(store, vault);
  const insertProvider = (id: number, accountId: string) =>
    providers.insert(ctx, {
      id,
      accountId,
      name: `Provider ${id}`,
      applicationSlug: 'crm',
      authenticationId: 0,
      isDefault: false,
      isEnabled: true,
      scopes: null,
      slots: { plain: { Key1: 'id' }, secret: { Key2: 's', ApiPassword: 't' }, cleared: [] },
      createdAt: now,
    });
  for (const [id, accountId] of [
    [1, 'acc_1'],
    [2, 'acc_1'],
    [3, 'acc_2'],
  ] as const) {
    await connections.insert(ctx, accountId, newConnection({ id, accountId, createdAt: now }));
    await insertProvider(id, accountId);
    const state = `state-${id}`;
    const expiresAt = new Date(now.getTime() + 300_000);
    const signIn = redeemableSignIn({ accountId, state, createdAt: now, expiresAt });
    await signIns.insert(ctx, signIn);
    await store.collection(signInCollection).updateOne({ _id: state }, { $set: { status: 'redeeming' } });
    await signIns.complete(ctx, signIn, completedSignIn().outcome);
  }

  // Revocations of a deleted connection and of a sign-in, and a deleted provider that the connection used.
  const deleted = newConnection({ id: 4, accountId: 'acc_1', createdAt: now });
  const revocation = revocationOf(await toDocument(vault, deleted), now);
  if (revocation === undefined) throw new Error('nothing to revoke');
  await store.collection(revocationCollection).insertOne(revocation);
  await signIns.holdGrant(ctx, redeemableSignIn({ accountId: 'acc_1' }), completedSignIn().outcome.tokens);
  await store.collection(revocationCollection).insertOne({
    ...revocation,
    _id: 5,
    connection: {
      ...revocation.connection,
      _id: 5,
      authProviderId: 9,
      credential: { ...revocation.connection.credential, secrets: null, tokens: null },
    },
  });
  await insertProvider(9, 'acc_1');
  await providers.delete(ctx, 'acc_1', 9, now);

  const fields = [
    'auth_providers.secrets.ApiPassword',
    'auth_providers.secrets.Key2',
    'connections.credential.secrets',
    'connections.credential.tokens.sealed',
    'retired_auth_providers.secrets.ApiPassword',
    'retired_auth_providers.secrets.Key2',
    'revocations.connection.credential.secrets',
    'revocations.connection.credential.tokens.sealed',
    'sign_ins.codeVerifier',
    'sign_ins.outcome.tokens.sealed',
  ];
  expect(await tryEveryBinding(store, sealer, sealedCollections)).toEqual({
    fields,
    closed: [],
    movable: [],
  });

  const before = await store.collection(connectionCollection).find().sort({ _id: 1 }).toArray();
  const replaced = await replaceDataKeys(store, encryption, sealedCollections);
  expect(replaced).toMatchObject({ issued: 2, resealed: 12, failed: 0, unreadable: 0 });
  expect(await tryEveryBinding(store, sealer, sealedCollections)).toEqual({
    fields,
    closed: [],
    movable: [],
  });
  const opened = await credentials.read(ctx, 'acc_1', 1, 'call');
  expect(opened?.credential.secretFields.reveal()).toEqual({ password: 'p' });
  expect(opened?.credential.tokens?.refreshToken?.reveal()).toBe('refresh');
  expect((await providers.open(ctx, 'acc_2', { id: 3 }))?.secrets.reveal()).toEqual({
    Key2: 's',
    ApiPassword: 't',
  });
  const who = { accountId: 'acc_2', userId: 'usr_1', connectSessionId: null };
  expect(await signIns.find(ctx, who, 'state-3', now)).toMatchObject({ status: 'completed' });
  // Only the sealed texts have changed.
  const after = await store.collection(connectionCollection).find().sort({ _id: 1 }).toArray();
  const unsealed = (text: string) => text.replaceAll(/s1\.[\w-]+\.[\w-]+/g, 'sealed');
  expect(unsealed(JSON.stringify(after))).toBe(unsealed(JSON.stringify(before)));
});
