import { randomBytes } from 'node:crypto';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { rateWindowCollection } from '@fairlead/service-kit/limiter/mongo-window-store';
import type { AccountData } from '@fairlead/service-kit/account-data';
import { createAccountDataService, erasedOnly } from '@fairlead/service-kit/account-data';
import { systemClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { createSealer, dataKeyCollection, mongoDataKeyStore } from '@fairlead/service-kit/sealing/sealing';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { forEachService } from '@fairlead/service-list/services';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { auditData } from '../audit/storage/account-data.ts';
import { auditCollections, auditRepository } from '../audit/storage/audit.repository.ts';
import { createAuditLog } from '../audit/use-cases/record-event.ts';
import {
  idempotencyCollections,
  idempotencyRepository,
} from '../idempotency/storage/idempotency.repository.ts';
import type { CreatedAccount } from '../identity/use-cases/create-account.ts';
import type { IdentityAdministration } from '../identity/identity-administration.ts';
import { identityCollections } from '../identity/storage/identity-schema.ts';
import { testAdministration } from '../identity/testing/administration.ts';
import { limitsData } from '../limits/open-limits.ts';
import { oauthData } from '../oauth/storage/account-data.ts';
import { clientRepository } from '../oauth/storage/client.repository.ts';
import { oauthArtifactCollection } from '../oauth/storage/oauth-artifact.collection.ts';
import { oauthClientCollection } from '../oauth/storage/oauth-client.collection.ts';
import { oauthGrantCollection } from '../oauth/storage/oauth-grant.collection.ts';
import { TEST_CALLER_KEYS } from '../testing/edge.ts';
import { startRemote } from '../testing/remote.ts';
import { usageDayCollection } from '../usage/storage/usage-day.collection.ts';
import { usageData } from '../usage/storage/account-data.ts';
import { usageRepository } from '../usage/storage/usage.repository.ts';
import { accountDomains } from './account-domains.ts';
import { createAccountOperations } from './account-operations.ts';
import type { AccountOperations } from './account-operations.ts';
import { sweepTimes } from './domain/erasure.ts';
import { accountErasureCollection } from './storage/account-erasure.collection.ts';
import { accountErasureRepository } from './storage/account-erasure.repository.ts';
import { openAccounts } from '../identity/storage/open-accounts.ts';

const collections = [
  ...identityCollections,
  ...auditCollections,
  ...idempotencyCollections,
  oauthClientCollection,
  oauthGrantCollection,
  oauthArtifactCollection,
  rateWindowCollection,
  usageDayCollection,
  dataKeyCollection,
  accountErasureCollection,
];
const soon = new Date(Date.now() + 60 * 60_000);

let store: MongoStore & { drop(): Promise<void> };
let remote: Awaited<ReturnType<typeof startRemote>>;
let peer: ReturnType<typeof testPeer>;
let identity: IdentityAdministration;
let operations: AccountOperations;
/** What the services behind the gateway were asked to erase; one server stands for all three. */
const erasedRemotely: string[] = [];

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), collections);
  const data: AccountData = {
    exports: [
      {
        collection: 'rows',
        async *read(_ctx, accountId) {
          yield await Promise.resolve({ position: '1', record: { of: accountId } });
        },
      },
    ],
    erase(_ctx, accountId) {
      erasedRemotely.push(accountId);
      return Promise.resolve(true);
    },
  };
  remote = await startRemote((router) => router.service(AccountDataService, createAccountDataService(data)));
  peer = testPeer('remote', { httpUrl: remote.url, grpcUrl: remote.url });
  identity = testAdministration(store);
  const sealer = createSealer({
    keyRing: parseKeyRing(`v1:${randomBytes(32).toString('base64')}`),
    store: mongoDataKeyStore(store),
  });
  const clients = clientRepository({ store, clock: systemClock });
  const drop = (definition: typeof oauthGrantCollection | typeof oauthArtifactCollection) =>
    store.db.collection(definition.name);
  operations = createAccountOperations({
    erasures: accountErasureRepository(store),
    identity,
    domains: accountDomains({
      peers: forEachService(() => peer),
      callerKeys: TEST_CALLER_KEYS,
      clock: systemClock,
      timeoutMs: 5_000,
      modules: {
        sealing: erasedOnly((accountId) => sealer.shred(accountId)),
        audit: auditData(store),
        usage: usageData(store),
        oauth: oauthData({
          store,
          clients,
          async erase(accountId) {
            await clients.removeOf({ accountId });
            await drop(oauthGrantCollection).deleteMany({ accountId });
            await drop(oauthArtifactCollection).deleteMany({ accountId });
          },
        }),
        idempotency: erasedOnly((accountId) => idempotencyRepository(store).eraseIdempotencyOf(accountId)),
        limits: limitsData(store),
      },
    }),
    audit: auditLog(sealer.fingerprint.bind(sealer)),
    clock: systemClock,
    sweeps: sweepTimes(120_000),
  });
});
afterAll(async () => {
  await peer.close();
  await remote.close();
  await store.drop();
});

function auditLog(fingerprint: (accountId: string, secret: string) => Promise<string>) {
  return createAuditLog({
    store: auditRepository(store),
    findOpenAccounts: openAccounts(store),
    fingerprint,
    clock: systemClock,
    retentionMs: 60 * 60_000,
  });
}

/** An account with something in every collection of the gateway that can name one. */
async function usedAccount(): Promise<CreatedAccount> {
  const made = await identity.createAccountWithOwner(platformContext, {
    name: 'Used',
    ownerEmail: 'olga@test.example',
  });
  const accountId = made.account.id;
  const userId = made.owner.id;
  await auditLog(() => Promise.resolve('x')).record({
    accountId,
    actor: { kind: 'user', userId },
    action: 'createConnection',
    outcome: 'succeeded',
    requestId: 'req-1',
  });
  await usageRepository(store).add([{ accountId, day: new Date().toISOString().slice(0, 10), callCount: 3 }]);
  const client = { accountId, userId, name: 'Client', createdAt: new Date(), updatedAt: new Date() };
  const raw = (definition: { readonly name: string }) =>
    store.db.collection<{ _id: string }>(definition.name);
  const id = accountId.slice(4);
  await raw(oauthClientCollection).insertOne({
    _id: `client_${id}`,
    kind: 'account',
    ...client,
    redirectUris: [],
    grantTypes: [],
    scopes: [],
    secretHash: 'planted-hash',
  } as never);
  await raw(oauthGrantCollection).insertOne({
    _id: `grant_${id}`,
    accountId,
    userId,
    clientId: 'c',
    payload: '{}',
    createdAt: new Date(),
    expiresAt: soon,
  } as never);
  for (const definition of [oauthArtifactCollection, ...idempotencyCollections])
    await raw(definition).insertOne({
      _id: `${definition.name}-${id}`,
      accountId,
      runId: id,
      index: 1,
      expiresAt: soon,
    } as never);
  await raw(rateWindowCollection).insertOne({ _id: `${accountId}/hourly/x`, expiresAt: soon } as never);
  await raw(dataKeyCollection).insertOne({ _id: accountId });
  return made;
}

/** The collections with a document that names the account. */
async function tracesOf(accountId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of collections) {
    const documents = await store.db.collection(name).find().toArray();
    if (documents.some((document) => JSON.stringify(document).includes(accountId))) found.push(name);
  }
  return found.toSorted();
}

test('an erased account is in no collection any more, but that it was erased, and its neighbour is as it was', async () => {
  const [{ account }, neighbour] = [await usedAccount(), await usedAccount()];
  const everywhere = collections
    .map(({ name }) => name)
    // Cursors name no account; not sealed into a batch here; nothing was erased yet.
    .filter((name) => !['audit_cursors', 'audit_batches', 'audit_chains', 'account_erasures'].includes(name));
  expect(await tracesOf(account.id)).toEqual(everywhere.toSorted());
  await operations.erase(platformContext, account.id);
  // The platform's log keeps that it was done.
  expect(await tracesOf(account.id)).toEqual(['account_erasures', 'audit_entries']);
  expect(await store.db.collection('audit_entries').countDocuments({ accountId: account.id })).toBe(0);
  expect(erasedRemotely.filter((id) => id === account.id)).toHaveLength(3);
  expect(await tracesOf(neighbour.account.id)).toEqual(everywhere.toSorted());
});

test('an export holds every domain’s part, and neither a secret nor a hash', async () => {
  const { account, owner, apiKey } = await usedAccount();
  let text = '';
  for await (const piece of operations.export(platformContext, account.id)) text += piece;
  const exported = JSON.parse(text) as Record<string, unknown[]>;
  expect(exported).toMatchObject({
    account: { id: account.id, name: 'Used' },
    users: [{ id: owner.id, email: 'olga@test.example' }],
    apiKeys: [{ userId: owner.id }],
    auditEntries: [{ action: 'createConnection' }],
    usage: [{ calls: 3 }],
    oauthClients: [{ name: 'Client' }],
    oauthGrants: [{ clientId: 'c' }],
  });
  expect(exported['rows']).toContainEqual({ of: account.id });
  expect(text).not.toContain(apiKey.reveal());
  expect(text).not.toMatch(/planted-hash|[hH]ash"/);
});
