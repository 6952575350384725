import { APPLICATION_KINDS } from '@fairlead/connector-model/enumerations';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CONNECTION_STATUSES } from '../domain/connection.ts';
import type { ConnectionFilter } from '../ports/connection-store.ts';
import { details, newConnection, newCredential } from '../testing/builders.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { loadConnections, openConnectionStorage } from '../testing/connection-storage.ts';

const ctx = testContext();
const accountId = 'acc_1';
const now = new Date();
const COUNT = 3_000;
const TOP = 25;
/** Keys for counters, merged index ranges and unique lookups: far fewer than COUNT. */
const FEW_KEYS = 64;

let storage: ConnectionStorage;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
  // Other accounts' connections do not matter either.
  for (const account of [accountId, 'acc_2']) {
    await loadConnections(storage.store, account, COUNT, (index) => ({
      applicationSlug: index % 10 === 0 ? 'erp' : 'crm',
      kind: index % 10 === 0 ? 'Key' : 'Regular',
      connectionName: index % 2 === 0 ? 'CRM' : `CRM ${index}`,
      needsReauthentication: index % 3 === 0,
      licence: { status: index % 7 === 0 ? 'none' : 'active', expiresAt: null },
      createdAt: new Date(now.getTime() - index),
    }));
  }
});

afterAll(() => storage.store.drop());

interface ProfileEntry {
  readonly ns: string;
  readonly command: object;
  readonly planSummary?: string;
  readonly keysExamined?: number;
  readonly docsExamined?: number;
  readonly hasSortStage?: boolean;
}

/** The operations that the database executed for `run`. */
async function executedBy(run: () => Promise<unknown>): Promise<ProfileEntry[]> {
  const { db } = storage.store;
  await db.command({ profile: 0 });
  await db.dropCollection('system.profile');
  await db.command({ profile: 2 });
  await run();
  await db.command({ profile: 0 });
  const executed = await db.collection<ProfileEntry>('system.profile').find().toArray();
  const ours = executed.filter(({ planSummary }) => planSummary !== undefined);
  expect(ours).not.toEqual([]);
  return ours;
}

/** Every operation used an index without sorting, and examined at most this number of keys. */
function expectBounded(executed: readonly ProfileEntry[], keys: number): void {
  const excessive = executed.filter(
    ({ planSummary = '', keysExamined = 0, docsExamined = 0, hasSortStage = false }) =>
      planSummary.includes('COLLSCAN') || hasSortStage || keysExamined > keys || docsExamined > keys,
  );
  expect(excessive).toEqual([]);
}

const kindFilters: readonly ConnectionFilter['kinds'][] = [
  [],
  ['Regular', 'Key'],
  ...APPLICATION_KINDS.map((kind) => [kind]),
];
const filters = kindFilters.flatMap((kinds) =>
  [undefined, 'crm', 'unknown'].flatMap((applicationSlug) =>
    [undefined, ...CONNECTION_STATUSES].map((status) => ({ kinds, applicationSlug, status })),
  ),
);

describe('of thousands of connections', () => {
  test('a page reads a page, by every combination of filters', async () => {
    const executed = await executedBy(async () => {
      for (const filter of filters)
        await storage.connections.list(ctx, accountId, { ...filter, offset: 10, top: TOP }, now);
    });
    expect(executed.length).toBeGreaterThanOrEqual(2 * filters.length);
    expectBounded(executed, 10 + TOP + FEW_KEYS);
  });

  test('a far page reads from the nearer end, and no document that it skips', async () => {
    for (const kinds of [[], ['Regular', 'Key'], ['Key']] as const) {
      const page = { kinds, applicationSlug: undefined, status: undefined, offset: 2_900, top: TOP };
      const executed = await executedBy(() => storage.connections.list(ctx, accountId, page, now));
      expectBounded(executed, 100 + FEW_KEYS);
    }
  });

  test.each(['crm', 'erp', 'new'])(
    'every other use of a connection of %s reads only it',
    async (applicationSlug) => {
      const { connections, credentials } = storage;
      const id = await connections.nextId();
      const kind = applicationSlug === 'erp' ? 'Key' : 'Regular';
      const key = { accountId, connectionId: id, owner: 'replica' };
      const until = new Date(now.getTime() + 30_000);
      const change = { details: details(), credential: newCredential(), applicationName: undefined, now };
      const names = ['CRM', 'CRM 1', 'CRM 2', 'unknown'];
      expectBounded(
        await executedBy(async () => {
          await connections.insert(ctx, accountId, newConnection({ id, accountId, applicationSlug, kind }));
          await connections.find(ctx, accountId, id);
          const ofAll = { applicationSlugs: [], endUserId: undefined };
          expect(await connections.findAll(ctx, accountId, [id, 999_999], ofAll)).toHaveLength(1);
          const ofOthers = { applicationSlugs: ['other'], endUserId: undefined };
          expect(await connections.findAll(ctx, accountId, [id], ofOthers)).toEqual([]);
          const ofEndUser = { applicationSlugs: [], endUserId: 'customer-1' };
          expect(await connections.findAll(ctx, accountId, [id], ofEndUser)).toEqual([]);
          expect(await connections.findAll(ctx, 'acc_2', [id], ofAll)).toEqual([]);
          await connections.findDefaults(ctx, accountId, ['crm', 'erp']);
          await connections.takenNames(ctx, accountId, applicationSlug, names);
          await connections.setDefault(ctx, accountId, id, now);
          await connections.setLicence(ctx, accountId, id, { status: 'active', expiresAt: until }, now);
          await credentials.read(ctx, accountId, id, 'call');
          const wanted = [{ kind: 'id', id } as const, { kind: 'application', applicationSlug } as const];
          // The first find is its own query; the others share one.
          const finds = [accountId, accountId, 'acc_2'].flatMap((of) =>
            wanted.map((one) => credentials.find(ctx, of, one)),
          );
          await Promise.all(finds);
          await credentials.claim(ctx, key, { version: 1, now, until });
          await credentials.saveRefusal(ctx, key, { reason: 'no', now });
          await connections.replace(ctx, accountId, id, change);
          await connections.delete(ctx, accountId, id, now);
        }),
        FEW_KEYS,
      );
    },
  );
});
