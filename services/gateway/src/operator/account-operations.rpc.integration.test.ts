import { randomBytes } from 'node:crypto';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import type { AccountData } from '@fairlead/service-kit/account-data';
import { createAccountDataService, erasedOnly } from '@fairlead/service-kit/account-data';
import { systemClock } from '@fairlead/service-kit/clock';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { rateWindowCollection } from '@fairlead/limiter/mongo-window-store';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { dataKeyCollection, mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { SERVICE_NAMES, forEachService } from '@fairlead/service-list/services';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { auditData } from '@fairlead/audit-log/storage/account-data';
import { auditRepository } from '@fairlead/audit-log/storage/audit.repository';
import { createAuditLog } from '@fairlead/audit-log/use-cases/record-event';
import { gatewaySchema } from '../gateway-schema.ts';
import {
  idempotencyCollections,
  idempotencyRepository,
} from '@fairlead/rest-kit/idempotency/storage/idempotency.repository';
import { limitsData } from '../limits/open-limits.ts';
import { TEST_CALLER_KEYS } from '../testing/edge.ts';
import { accountMessage } from '@fairlead/rest-records/testing/identity-messages';
import { MADE_AT } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../testing/remote.ts';
import { usageData } from '../usage/storage/account-data.ts';
import { usageRepository } from '../usage/storage/usage.repository.ts';
import { accountDomains } from './account-domains.ts';
import { createAccountOperations } from './account-operations.ts';
import type { AccountOperations } from './account-operations.ts';
import { sweepTimes } from './domain/erasure.ts';
import { accountErasureRepository } from './storage/account-erasure.repository.ts';

const { collections } = gatewaySchema;
const soon = new Date(Date.now() + 60 * 60_000);

let store: MongoStore & { drop(): Promise<void> };
let operations: AccountOperations;
let services: Awaited<ReturnType<typeof startServices>>;
const open = new Set<string>();
/** The closings and erasures that services were asked for, in order; one server replaces all services but identity. */
const steps: string[] = [];

/** A service that stores one record of each account. */
function keeping(name: string, collection: string): AccountData {
  return {
    exports: [
      {
        collection,
        async *read(_ctx, accountId) {
          yield await Promise.resolve({ position: '1', record: { of: accountId } });
        },
      },
    ],
    erase(_ctx, accountId) {
      steps.push(`${name} ${accountId}`);
      return Promise.resolve(true);
    },
  };
}

/** Starts the servers: identity, and one for all other services. */
async function startServices() {
  const find = (accountId: string) => {
    if (!open.has(accountId)) throw notFound('account');
    return { account: accountMessage({ id: accountId, name: 'Used' }) };
  };
  const servers = await Promise.all([
    startRemote((router) =>
      router
        .service(OperatorService, {
          findAccount: ({ accountId }) => find(accountId),
          closeAccount({ accountId }) {
            find(accountId);
            open.delete(accountId);
            steps.push(`close ${accountId}`);
            return {};
          },
        })
        .service(AccountDataService, createAccountDataService(keeping('identity', 'users'))),
    ),
    startRemote((router) =>
      router.service(AccountDataService, createAccountDataService(keeping('service', 'rows'))),
    ),
  ]);
  const [identity, others] = servers.map(({ url }) => testPeer('remote', { httpUrl: url, grpcUrl: url }));
  if (identity === undefined || others === undefined) throw new Error('Two servers have two peers.');
  return {
    peers: forEachService((name) => (name === 'identity' ? identity : others)),
    async close() {
      for (const part of [identity, others, ...servers]) await part.close();
    },
  };
}

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), collections);
  services = await startServices();
  const sealer = createSealer({
    encryption: ringKeyEncryption(parseKeyRing(`v1:${randomBytes(32).toString('base64')}`)),
    store: mongoDataKeyStore(store),
  });
  operations = createAccountOperations({
    erasures: accountErasureRepository(store),
    ...accountDomains({
      peers: services.peers,
      callerKeys: TEST_CALLER_KEYS,
      clock: systemClock,
      timeoutMs: 5_000,
      modules: {
        sealing: erasedOnly((accountId) => sealer.shred(accountId)),
        audit: auditData(store),
        usage: usageData(store),
        idempotency: erasedOnly((accountId) => idempotencyRepository(store).eraseIdempotencyOf(accountId)),
        limits: limitsData(store),
      },
      onClosed: (accountId) => void steps.push(`closed ${accountId}`),
    }),
    audit: auditLog(sealer.fingerprint.bind(sealer)),
    clock: systemClock,
    sweeps: sweepTimes(120_000),
  });
});
afterAll(async () => {
  await services.close();
  await store.drop();
});

function auditLog(fingerprint: (accountId: string, secret: string) => Promise<string>) {
  return createAuditLog({
    store: auditRepository(store),
    findOpenAccounts: (ids) => Promise.resolve(new Set(ids.filter((id) => open.has(id)))),
    fingerprint,
    clock: systemClock,
    retentionMs: 60 * 60_000,
  });
}

/** Creates an account with a document in every collection of the gateway that can name an account. */
async function usedAccount(): Promise<string> {
  const id = randomBase62(22);
  const accountId = `acc_${id}`;
  open.add(accountId);
  await auditLog(() => Promise.resolve('x')).record({
    accountId,
    actor: { kind: 'user', userId: 'usr_1' },
    action: 'createConnection',
    outcome: 'succeeded',
    requestId: 'req-1',
  });
  await usageRepository(store).add([{ accountId, day: new Date().toISOString().slice(0, 10), count: 3 }]);
  const raw = (definition: { readonly name: string }) =>
    store.db.collection<{ _id: string }>(definition.name);
  for (const definition of idempotencyCollections)
    await raw(definition).insertOne({
      _id: `${definition.name}-${id}`,
      accountId,
      runId: id,
      index: 1,
      expiresAt: soon,
    } as never);
  await raw(rateWindowCollection).insertOne({ _id: `${accountId}/hourly/x`, expiresAt: soon } as never);
  await raw(dataKeyCollection).insertOne({ _id: accountId });
  return accountId;
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

/**
 * Collections without a document here: cursors and sessions name no account; no batch is sealed, no account erased, no data key replaced.
 */
const UNUSED = new Set([
  'audit_cursors',
  'audit_batches',
  'audit_chains',
  'account_erasures',
  'dataKeyReplacements',
  'mcp_ended_sessions',
  'mcp_session_clients',
]);

test('an erased account is in no collection any more, but that it was erased, and its neighbour is as it was', async () => {
  const [accountId, neighbour] = [await usedAccount(), await usedAccount()];
  const everywhere = collections.map(({ name }) => name).filter((name) => !UNUSED.has(name));
  expect(await tracesOf(accountId)).toEqual(everywhere.toSorted());
  await operations.erase(platformContext, accountId);
  // The platform's log records the erasure.
  expect(await tracesOf(accountId)).toEqual(['account_erasures', 'audit_entries']);
  expect(await store.db.collection('audit_entries').countDocuments({ accountId })).toBe(0);
  expect(await tracesOf(neighbour)).toEqual(everywhere.toSorted());
});

test('identity closes the account before anything is erased, and erases it after everything else', async () => {
  const accountId = await usedAccount();
  await operations.erase(platformContext, accountId);
  const others = SERVICE_NAMES.filter((name) => name !== 'identity');
  expect(steps.filter((step) => step.endsWith(accountId))).toEqual(
    ['close', 'closed', ...others.map(() => 'service'), 'identity'].map((step) => `${step} ${accountId}`),
  );
});

test('an account that identity does not know is NOT_FOUND', async () => {
  await expect(operations.erase(platformContext, 'acc_0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(
    operations.export(platformContext, 'acc_0')[Symbol.asyncIterator]().next(),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an export holds the account as identity knows it, and every domain’s part', async () => {
  const accountId = await usedAccount();
  let text = '';
  for await (const piece of operations.export(platformContext, accountId)) text += piece;
  const exported = JSON.parse(text) as Record<string, unknown[]>;
  expect(exported).toMatchObject({
    account: {
      id: accountId,
      name: 'Used',
      isRbacEnabled: false,
      defaultLicence: 'active',
      budgets: DEFAULT_BUDGETS,
      erasingAt: null,
      createdAt: MADE_AT,
      updatedAt: MADE_AT,
    },
    users: [{ of: accountId }],
    auditEntries: [{ action: 'createConnection' }],
    usage: [{ calls: 3 }],
  });
  expect(exported['rows']).toContainEqual({ of: accountId });
});
