import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectionStatus, LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import {
  create,
  createBySignIn,
  credentialOf,
  required,
  signIn,
  startWorld,
  shown,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;
let ctx: RequestContext;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { ownClientMethods: [0] });
});

afterAll(() => world.close());

beforeEach(() => {
  ctx = testContext();
});

const notFound = { code: 'NOT_FOUND' };
const invalid = (...fields: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: fields.map((field) => expect.objectContaining({ field }) as object),
});

async function defaults(): Promise<number[]> {
  const page = { offset: 0, top: 100 };
  const { items } = await world.instance.connections.listConnections(ctx, { page });
  return items.filter(({ isDefault }) => isDefault).map(({ id }) => id);
}

describe('creating by credentials', () => {
  test('stores and shows everything but the secret', async () => {
    const metadata = { 'a.b': { $x: [1, null, 'ü'] }, __proto__: 1, 'nul\u0000': true };
    const connection = await create(world, ctx, { description: 'mine', metadata });
    expect(connection).toMatchObject({
      connectionName: 'CRM',
      description: 'mine',
      applicationSlug: 'sandbox-crm',
      applicationName: 'Sandbox CRM',
      kind: ApplicationKind.REGULAR,
      authenticationId: 1,
      authenticationName: 'API key',
      isDefault: true,
      status: ConnectionStatus.ACTIVE,
      licence: { status: LicenceStatus.ACTIVE },
      fields: { apiToken: null },
      secretFields: ['apiToken'],
      metadata,
    });
    expect(connection.authProviderId).toBeUndefined();
    const read = await world.instance.connections.getConnection(ctx, { id: connection.id });
    expect(shown(read.connection)).toEqual(connection);
  });

  test.each([
    ['a missing required field', { fields: {} }, ['fields.apiToken']],
    ['an empty required field', { fields: { apiToken: '' } }, ['fields.apiToken']],
    ['a field of a wrong type', { fields: { apiToken: 5 } }, ['fields.apiToken']],
    ['an unknown field', { fields: { apiToken: 'x', apiTokn: 'x' } }, ['fields.apiTokn']],
    ['an unknown method', { authenticationId: 99 }, ['authenticationId']],
    ['a sign-in for a method without one', { oauthState: 'x' }, ['oauthState']],
    ['no name', { connectionName: '' }, ['connectionName']],
    ['a blank name', { connectionName: ' \t ' }, ['connectionName']],
    [
      'everything too long',
      { connectionName: 'x'.repeat(201), description: 'x'.repeat(2001), metadata: { x: 'x'.repeat(16_384) } },
      ['connectionName', 'description', 'metadata'],
    ],
    [
      'the client of a method without an own one',
      { authenticationId: 2, fields: {} },
      ['fields.clientId', 'fields.clientSecret'],
    ],
  ])('with %s is VALIDATION_ERROR', async (_name, request, fields) => {
    await expect(create(world, ctx, request)).rejects.toMatchObject(invalid(...fields));
    expect(await defaults()).toEqual([]);
  });

  test.each([0, 1, 2])('with ExternalOrgId is INVALID_FIELD for method %i', async (authenticationId) => {
    await expect(
      create(world, ctx, { authenticationId, fields: { ExternalOrgId: 'x' } }),
    ).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      details: [expect.objectContaining({ field: 'fields.ExternalOrgId' }) as object],
    });
  });

  test('ignores ApiKey and RefreshToken, and a provider if the method takes none', async () => {
    const connection = await create(world, ctx, {
      fields: { apiToken: 'token-x', ApiKey: 'a', RefreshToken: 5 },
      provider: { choice: { case: 'providerId', value: 12 } },
    });
    expect(connection.secretFields).toEqual(['apiToken']);
    expect((await credentialOf(world.instance, ctx, connection.id)).fields).toEqual({ apiToken: 'token-x' });
  });

  test('of an unknown application or with an unknown provider is NOT_FOUND', async () => {
    await expect(create(world, ctx, { applicationSlug: 'nothing' })).rejects.toMatchObject(notFound);
    const choice = { case: 'providerName', value: 'mine' } as const;
    await expect(
      create(world, ctx, { authenticationId: 2, fields: {}, provider: { choice } }),
    ).rejects.toMatchObject(notFound);
  });
});

describe('the default', () => {
  test('is exactly one, however many first connections are created at once', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => create(world, ctx)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(12);
    expect(await defaults()).toHaveLength(1);
  });

  test('moves as a whole, however many are set at once', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await create(world, ctx)).id);
    expect(await defaults()).toEqual([ids[0]]);
    await Promise.all(ids.map((id) => world.instance.connections.setDefaultConnection(ctx, { id })));
    expect(await defaults()).toHaveLength(1);
    const id = required(ids[3]);
    const set = await world.instance.connections.setDefaultConnection(ctx, { id });
    expect(set.connection?.isDefault).toBe(true);
    expect(await defaults()).toEqual([id]);
  });

  test('that is deleted is not replaced, neither by an old connection nor by a new one', async () => {
    const first = await create(world, ctx);
    const second = await create(world, ctx);
    await world.instance.connections.deleteConnection(ctx, { id: first.id });
    expect(await defaults()).toEqual([]);
    expect((await create(world, ctx)).isDefault).toBe(false);
    const resolve = { by: { case: 'applicationSlug', value: 'sandbox-crm' } } as const;
    await expect(world.instance.credentials.resolveConnection(ctx, resolve)).rejects.toMatchObject({
      code: 'NO_DEFAULT_CONNECTION',
    });
    await world.instance.connections.setDefaultConnection(ctx, { id: second.id });
    const resolved = await world.instance.credentials.resolveConnection(ctx, resolve);
    expect(resolved.connection?.id).toBe(second.id);
  });

  test('is found for several applications at once; those without one are omitted', async () => {
    const crm = await create(world, ctx);
    const http = await create(world, ctx, { applicationSlug: 'http', authenticationId: 0, fields: {} });
    await create(world, testContext());
    const { connections } = await world.instance.credentials.listDefaultConnections(ctx, {
      applicationSlugs: ['sandbox-crm', 'http', 'postgresql'],
    });
    expect(new Set(connections.map(({ id }) => id))).toEqual(new Set([crm.id, http.id]));
  });
});

describe('the list', () => {
  test('is newest first, paged, counted over all pages, and of one account', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.unshift((await create(world, ctx)).id);
      world.clock.advance(count % 2);
    }
    await create(world, testContext());
    const { items, totalCount } = await world.instance.connections.listConnections(ctx, {
      page: { offset: 1, top: 3 },
    });
    expect(items.map(({ id }) => id)).toEqual(ids.slice(1, 4));
    expect(totalCount).toBe(5);
  });

  test('filters by kinds', async () => {
    await create(world, ctx);
    const kinds = [ApplicationKind.KEY, ApplicationKind.MCP_CLIENT];
    const page = { offset: 0, top: 10 };
    expect(await world.instance.connections.listConnections(ctx, { page, kinds })).toMatchObject({
      items: [],
      totalCount: 0,
    });
    const regular = await world.instance.connections.listConnections(ctx, {
      page,
      kinds: [...kinds, ApplicationKind.REGULAR],
    });
    expect(regular.totalCount).toBe(1);
  });

  test.each([
    [{ offset: -1, top: 10 }, 'offset'],
    [{ offset: 0, top: 0 }, 'top'],
    [{ offset: 0, top: 101 }, 'top'],
  ])('refuses %o', async (page, field) => {
    await expect(world.instance.connections.listConnections(ctx, { page })).rejects.toMatchObject(
      invalid(field),
    );
  });
});

describe('another account', () => {
  test('finds nothing by any operation', async () => {
    const { id } = await create(world, ctx);
    const stranger = testContext();
    const { connections, credentials } = world.instance;
    const calls = [
      () => connections.getConnection(stranger, { id }),
      () => connections.replaceConnection(stranger, { id, connectionName: 'x' }),
      () => connections.setDefaultConnection(stranger, { id }),
      () => connections.deleteConnection(stranger, { id }),
      () => connections.setLicence(stranger, { id, status: LicenceStatus.NONE }),
      () => credentials.resolveConnection(stranger, { by: { case: 'id', value: id } }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(notFound);
    expect((await connections.getConnection(ctx, { id })).connection?.status).toBe(ConnectionStatus.ACTIVE);
  });
});

describe('replacing', () => {
  test('clears what is absent and keeps the credential without fields', async () => {
    const { id, updatedAt } = await create(world, ctx, { description: 'old', metadata: { a: 1 } });
    world.clock.advance(5);
    const { connection } = await world.instance.connections.replaceConnection(ctx, {
      id,
      connectionName: 'new',
    });
    expect(shown(connection)).toMatchObject({
      id,
      connectionName: 'new',
      metadata: {},
      secretFields: ['apiToken'],
    });
    expect(connection?.description).toBeUndefined();
    expect(connection?.updatedAt).not.toEqual(updatedAt);
    expect((await credentialOf(world.instance, ctx, id)).version).toBe(1n);
  });

  test('with fields replaces them all under a new version, required ones enforced', async () => {
    const { id } = await create(world, ctx);
    const replace = (fields: Record<string, string>) =>
      world.instance.connections.replaceConnection(ctx, {
        id,
        connectionName: 'new',
        fields: { membersJson: membersOf(fields) },
      });
    await expect(replace({})).rejects.toMatchObject(invalid('fields.apiToken'));
    await expect(replace({ ExternalOrgId: 'x' })).rejects.toMatchObject({ code: 'INVALID_FIELD' });
    await replace({ apiToken: 'token-2' });
    expect(await credentialOf(world.instance, ctx, id)).toMatchObject({
      version: 2n,
      fields: { apiToken: 'token-2' },
    });
  });

  test('a signed-in connection takes other choices, and only those its sign-in offered', async () => {
    const created = await createBySignIn(world, ctx);
    const { id } = created;
    const before = await credentialOf(world.instance, ctx, id);
    const replace = (fields: Record<string, string>) =>
      world.instance.connections.replaceConnection(ctx, {
        id,
        connectionName: 'new',
        fields: { membersJson: membersOf(fields) },
      });
    await expect(replace({ workspace: 'nowhere' })).rejects.toMatchObject(invalid('fields.workspace'));
    const document = await world.db
      .collection<{ _id: number; fieldOptions: string }>('connections')
      .findOne({ _id: id });
    const options = JSON.parse(required(document?.fieldOptions)) as { workspace: Record<string, string> };
    const other = required(Object.keys(options.workspace).find((key) => key !== created.fields['workspace']));
    expect(shown((await replace({ workspace: other })).connection).fields).toEqual({ workspace: other });
    const after = await credentialOf(world.instance, ctx, id);
    expect(after).toMatchObject({ accessToken: before.accessToken, version: before.version + 1n });
  });

  test('by a sign-in keeps the chosen options that are still valid, and consumes the state', async () => {
    const created = await createBySignIn(world, ctx);
    const oauthState = await signIn(world, ctx);
    const request = { id: created.id, connectionName: 'again', oauthState };
    const { connection } = await world.instance.connections.replaceConnection(ctx, request);
    expect(shown(connection).fields).toEqual(created.fields);
    await expect(world.instance.connections.replaceConnection(ctx, request)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });
  });

  test('by a sign-in of another method is VALIDATION_ERROR and leaves the state usable', async () => {
    const { id } = await create(world, ctx);
    const oauthState = await signIn(world, ctx);
    await expect(
      world.instance.connections.replaceConnection(ctx, { id, connectionName: 'x', oauthState }),
    ).rejects.toMatchObject(invalid('oauthState'));
    expect((await create(world, ctx, { authenticationId: 0, fields: {}, oauthState })).id).toBeGreaterThan(
      id,
    );
  });

  test('with an empty sign-in is OAUTH_STATE_REQUIRED for a sign-in method', async () => {
    const { id } = await createBySignIn(world, ctx);
    await expect(
      world.instance.connections.replaceConnection(ctx, { id, connectionName: 'x', oauthState: '' }),
    ).rejects.toMatchObject({ code: 'OAUTH_STATE_REQUIRED' });
  });
});

describe('the licence', () => {
  test('a new connection may have none, and is then blocked', async () => {
    expect(await create(world, ctx, { licenceStatus: LicenceStatus.NONE })).toMatchObject({
      licence: { status: LicenceStatus.NONE },
      status: ConnectionStatus.BLOCKED,
    });
    await expect(create(world, ctx, { licenceStatus: LicenceStatus.UNSPECIFIED })).rejects.toMatchObject(
      invalid('licenceStatus'),
    );
  });

  test('blocks a connection without one and from the moment it expires', async () => {
    const { id } = await create(world, ctx);
    const set = async (status: LicenceStatus, expiresAt?: Date) =>
      required(
        (
          await world.instance.connections.setLicence(ctx, {
            id,
            status,
            ...(expiresAt === undefined ? {} : { expiresAt: timestampFromDate(expiresAt) }),
          })
        ).connection,
      );
    expect(await set(LicenceStatus.NONE)).toMatchObject({ status: ConnectionStatus.BLOCKED });
    const expiresAt = new Date(world.clock.now().getTime() + 1000);
    expect(await set(LicenceStatus.ACTIVE, expiresAt)).toMatchObject({ status: ConnectionStatus.ACTIVE });
    world.clock.advance(1000);
    const { connection } = await world.instance.connections.getConnection(ctx, { id });
    expect(connection).toMatchObject({
      status: ConnectionStatus.BLOCKED,
      licence: { status: LicenceStatus.EXPIRED },
    });
    await expect(set(LicenceStatus.UNSPECIFIED)).rejects.toMatchObject(invalid('status'));
  });
});

describe('deleting', () => {
  test('removes the connection and its credential', async () => {
    const { id } = await create(world, ctx);
    await world.instance.connections.deleteConnection(ctx, { id });
    await expect(world.instance.connections.deleteConnection(ctx, { id })).rejects.toMatchObject(notFound);
    await expect(world.instance.credentials.getCredentials(ctx, { connectionId: id })).rejects.toMatchObject(
      notFound,
    );
  });
});
