import type { Connector } from '@fairlead/connector-model/model';
import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { ManualClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { openLink } from '@fairlead/service-kit/testing/network';
import type { Link } from '@fairlead/service-kit/testing/network';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createInstallation, putApplication } from './testing/catalog.ts';
import type { Installation, Replica } from './testing/catalog.ts';
import { testConnector, testTool } from './testing/connectors.ts';

const platform = [testConnector('crm'), testConnector('zoo')];
const mcp = (slug: string, members: Partial<Connector> = {}): Connector =>
  testConnector(slug, { tools: [testTool('echo')], ...members });

let installation: Installation;
let first: Replica;
let second: Replica;
/** The second replica's connection to NATS. */
let path: Link;
let mongo: MongoClient;
let owner = testContext();
/** Stands still, so that a cached entry stays valid until a message arrives or NATS is lost. */
const clock = new ManualClock(new Date());

beforeAll(async () => {
  installation = await createInstallation(inject('mongodbUri'), inject('natsUrl'));
  mongo = await MongoClient.connect(inject('mongodbUri'));
  path = await openLink(Number(new URL(inject('natsUrl')).port));
  first = await installation.start(platform, { clock });
  second = await installation.start(platform, { clock, natsUrl: `nats://127.0.0.1:${path.port}` });
});
afterAll(async () => {
  await installation.remove();
  await path.close();
  await mongo.close();
});
beforeEach(() => {
  owner = testContext();
});

const put = (connector: Connector, at: Replica) => putApplication(at, owner, connector);

async function slugs(at: Replica): Promise<readonly string[]> {
  return (await at.applications.listApplications(owner, {})).items.map(({ slug }) => slug);
}

/** Number of revision reads by the replicas, per account. */
async function revisionReads(): Promise<number> {
  // MongoDB's own count of operations by collection.
  const { totals } = (await mongo.db('admin').command({ top: 1 })) as unknown as {
    totals: Record<string, { queries: { count: number } } | undefined>;
  };
  return totals[`${installation.database}.account_revisions`]?.queries.count ?? 0;
}

/** Resolves once the replica serves a second call without reading the database. */
async function untilCached(at: Replica): Promise<void> {
  await expect
    .poll(async () => {
      await slugs(at);
      const before = await revisionReads();
      await slugs(at);
      return (await revisionReads()) - before;
    })
    .toBe(0);
}

describe('replicas', () => {
  beforeEach(async () => {
    await untilCached(first);
    await untilCached(second);
  });

  it('see each other’s changes at once, and their own with the next call', async () => {
    expect(await slugs(second)).toEqual(['crm', 'zoo']);
    await put(mcp('mcp-1'), first);
    expect(await slugs(first)).toEqual(['crm', 'mcp-1', 'zoo']);
    await expect.poll(() => slugs(second)).toEqual(['crm', 'mcp-1', 'zoo']);
    await put(mcp('mcp-2'), second);
    expect(await slugs(second)).toEqual(['crm', 'mcp-1', 'mcp-2', 'zoo']);
    await expect.poll(() => slugs(first)).toEqual(['crm', 'mcp-1', 'mcp-2', 'zoo']);
    await first.applications.deleteAccountApplication(owner, { slug: 'mcp-1' });
    expect(await slugs(first)).toEqual(['crm', 'mcp-2', 'zoo']);
    await expect.poll(() => slugs(second)).toEqual(['crm', 'mcp-2', 'zoo']);
  });

  it('see a change after two seconds even if its message was never sent', async () => {
    await slugs(first);
    await path.set({ kind: 'reset' });
    onTestFinished(() => path.set({ kind: 'pass' }));
    await put(mcp('mcp-1'), second);
    clock.advance(2_000);
    expect(await slugs(first)).toEqual(['crm', 'mcp-1', 'zoo']);
  });

  it('that are cut off from NATS see every change with the next call, and cache again once it is back', async () => {
    await slugs(second);
    await path.set({ kind: 'reset' });
    onTestFinished(() => path.set({ kind: 'pass' }));
    // The cache becomes invalid when the loss of the connection is noticed.
    await put(mcp('mcp-1'), first);
    await expect.poll(() => slugs(second)).toEqual(['crm', 'mcp-1', 'zoo']);
    for (const slug of ['mcp-2', 'mcp-3']) {
      await put(mcp(slug), first);
      expect(await slugs(second)).toContain(slug);
    }
    await path.set({ kind: 'pass' });
    await untilCached(second);
    await put(mcp('mcp-4'), first);
    await expect.poll(() => slugs(second)).toContain('mcp-4');
  });
});

describe('the published message', () => {
  it('names the account that changed, or none if the platform’s file differs from the last one', async () => {
    const log = createLogger({ service: 'test', level: 'silent' });
    const nats = await connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
    const received: (string | undefined)[] = [];
    // Other tests publish on the same stream, and their messages about the platform look the same.
    const subscription = nats.follow(defineEvent(CatalogueChangedSchema), {
      onEvent: ({ accountId }) => received.push(accountId),
      onGap: () => undefined,
    });
    onTestFinished(() => nats.close());
    await expect.poll(() => subscription.session()).toBeDefined();
    const account = owner.caller.kind === 'user' ? owner.caller.accountId : '';
    await put(mcp('mcp-1'), first);
    await expect.poll(() => received).toContain(account);
    await installation.start([...platform, testConnector('new-one')]);
    await expect.poll(() => received).toContain(undefined);
  });
});
