import type { Connector } from '@fairlead/connector-model/model';
import { eraseAll, exportAll } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { createInstallation, putApplication } from './testing/catalog.ts';
import type { Installation, Replica } from './testing/catalog.ts';
import { testConnector } from './testing/connectors.ts';

let installation: Installation;
let replicas: readonly [Replica, Replica];
beforeAll(async () => {
  installation = await createInstallation(inject('mongodbUri'), inject('natsUrl'));
  const platform = [testConnector('crm', { name: 'CRM' })];
  replicas = [await installation.start(platform), await installation.start(platform)];
});
afterAll(() => installation.remove());

let accounts = 0;

/** An account with two applications, cached by both replicas. */
async function accountWithApplications() {
  const accountId = `acc_${(accounts += 1)}`;
  const ctx = testContext({ accountId });
  for (const slug of ['mcp-2', 'mcp-1']) {
    await putApplication(replicas[0], ctx, testConnector(slug, { name: `Server ${slug}` }));
  }
  const slugs = (replica: Replica) =>
    replica.applications.listApplications(ctx, {}).then(({ items }) => items.map(({ slug }) => slug));
  for (const replica of replicas)
    await vi.waitFor(async () => expect(await slugs(replica)).toHaveLength(3), { timeout: 90_000 });
  return { accountId, slugs };
}

test('an account gets its own applications, whole, and not the platform’s', async () => {
  const { accountId } = await accountWithApplications();
  await accountWithApplications();
  const exported = await exportAll(replicas[0].accountData, accountId);
  expect(Object.keys(exported)).toEqual(['applications']);
  const applications = exported['applications'] as readonly Connector[];
  expect(applications.map(({ slug, name }) => [slug, name])).toEqual([
    ['mcp-1', 'Server mcp-1'],
    ['mcp-2', 'Server mcp-2'],
  ]);
  expect(applications[0]?.tools).toEqual(testConnector('mcp-1', { name: 'Server mcp-1' }).tools);
});

test('an erased account has no application left on any replica, and no document names it', async () => {
  const { accountId, slugs } = await accountWithApplications();
  const other = await accountWithApplications();
  await eraseAll(replicas[0].accountData, accountId);
  expect(await eraseAll(replicas[0].accountData, accountId)).toBe(1);
  for (const replica of replicas)
    await vi.waitFor(async () => expect(await slugs(replica)).toEqual(['crm']), { timeout: 90_000 });
  expect(await other.slugs(replicas[0])).toHaveLength(3);
  const client = await MongoClient.connect(inject('mongodbUri'));
  const db = client.db(installation.database);
  expect(await db.collection('account_applications').countDocuments({ accountId })).toBe(0);
  expect(await db.collection<{ _id: string }>('account_revisions').countDocuments({ _id: accountId })).toBe(
    0,
  );
  await client.close();
});
