import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { byKey, openSession } from './testing/connect-sessions.ts';
import { create, createBySignIn, credentialOf, required, startWorld, shown } from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { ownClientMethods: [0] });
});

afterAll(() => world.close());

const NOT_FOUND = { code: 'NOT_FOUND' };
const slug = 'sandbox-crm';
const bySignIn = { applicationSlug: slug, authenticationId: 0 };

describe('defaults', () => {
  it('are per end user: neither another’s nor the account’s own is ever used', async () => {
    const ctx = testContext();
    const { credentials, connections, pages } = world.instance;
    const first = await openSession(world, ctx);
    await pages.connectApplication(first.page, byKey());
    const own = await create(world, ctx);
    expect(own.isDefault).toBe(true);
    await pages.connectApplication(first.page, byKey());
    const resolved = async (endUserId?: string) => {
      const by = { case: 'applicationSlug', value: slug } as const;
      const o = endUserId === undefined ? {} : { endUserId };
      return (await credentials.resolveConnection(ctx, { by, ...o })).connection;
    };
    expect((await resolved())?.id).toBe(own.id);
    const { items } = await connections.listConnections(ctx, { endUserId: 'customer-1' });
    expect(items.map(({ isDefault }) => isDefault)).toEqual([false, true]);
    const [second, oldest] = items;
    expect((await resolved('customer-1'))?.id).toBe(oldest?.id);
    await connections.setDefaultConnection(ctx, { id: required(second).id });
    expect((await resolved('customer-1'))?.id).toBe(second?.id);
    expect((await resolved())?.id).toBe(own.id);
    // A deleted default is not replaced: calls use the lowest id.
    await connections.deleteConnection(ctx, { id: required(second).id });
    expect((await resolved('customer-1'))?.id).toBe(oldest?.id);
    await expect(resolved('customer-2')).rejects.toMatchObject({ code: 'NO_DEFAULT_CONNECTION' });
    const { connections: defaults } = await credentials.listDefaultConnections(ctx, {
      applicationSlugs: [slug, 'http-api'],
      endUserId: 'customer-1',
    });
    expect(defaults.map(({ id }) => id)).toEqual([oldest?.id]);
    await expect(
      credentials.resolveConnection(ctx, { by: { case: 'id', value: own.id }, endUserId: 'customer-1' }),
    ).rejects.toMatchObject(NOT_FOUND);
  });
});

describe('an imported connection', () => {
  it('has the choices that its vendor offers to the token, and the first one', async () => {
    const ctx = testContext();
    const elsewhere = await createBySignIn(world, ctx);
    const { accessToken } = await credentialOf(world.instance, ctx, elsewhere.id);
    const { connection } = await world.instance.connections.importConnection(ctx, {
      ...bySignIn,
      connectionName: 'Moved',
      accessToken: required(accessToken),
      licenceStatus: LicenceStatus.ACTIVE,
      maxConnections: 1,
    });
    const { fields } = shown(connection);
    expect(fields).toEqual(elsewhere.fields);
    expect(Object.keys(fields)).toContain('workspace');
  });

  it('has its end user and tokens, and counts for the limit', async () => {
    const ctx = testContext();
    const { connections, credentials } = world.instance;
    const request = {
      ...bySignIn,
      connectionName: 'Moved',
      endUserId: 'customer-1',
      accessToken: 'from-elsewhere',
      licenceStatus: LicenceStatus.ACTIVE,
      maxConnections: 1,
    };
    const { connection } = await connections.importConnection(ctx, request);
    expect(connection).toMatchObject({ endUserId: 'customer-1', authProviderId: 0, isDefault: true });
    const { outcome } = await credentials.getCredentials(ctx, { connectionId: required(connection).id });
    expect(outcome).toMatchObject({ case: 'credential', value: { accessToken: 'from-elsewhere' } });
    await expect(connections.importConnection(ctx, request)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(
      connections.importConnection(ctx, { ...request, authenticationId: 1 }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
