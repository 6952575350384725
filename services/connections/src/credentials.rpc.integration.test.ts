import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { ConnectionStatus, LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import {
  create,
  createBySignIn,
  credentialOf,
  otherClient,
  required,
  signIn,
  startWorld,
  tokenCalls,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;
let ctx: RequestContext;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { count: 3 });
});

afterAll(() => world.close());

beforeEach(async () => {
  ctx = testContext();
  await world.crm.admin('/reset', {});
});

const HOUR_MS = 3_600_000;

async function statusOf(id: number): Promise<ConnectionStatus> {
  const { connection } = await world.instance.connections.getConnection(ctx, { id });
  return required(connection).status;
}

describe('a connection that is resolved for a call', () => {
  const resolve = (id: number) =>
    world.instance.credentials.resolveConnection(ctx, {
      by: { case: 'id', value: id },
      opensCredential: true,
    });

  test('comes with its credential and nothing else that a call does not need; a changed licence holds for the next one', async () => {
    const { id } = await create(world, ctx);
    const { connection, credential } = await resolve(id);
    expect(connection).toMatchObject({ id, connectionName: '', licence: { status: LicenceStatus.ACTIVE } });
    const { fields: _parsed, ...opened } = await credentialOf(world.instance, ctx, id);
    expect(credential).toEqual(opened);
    await world.instance.connections.setLicence(ctx, { id, status: LicenceStatus.NONE });
    const blocked = await resolve(id);
    expect(blocked.connection).toMatchObject({ licence: { status: LicenceStatus.NONE } });
    expect(blocked.credential).toBeUndefined();
    await world.instance.connections.deleteConnection(ctx, { id });
    await expect(resolve(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is resolved for a client without a credential, whose tokens are renewed too, and which reads nothing else', async () => {
    const { id } = await createBySignIn(world, ctx);
    const accountId = accountOf(ctx);
    const anonymous = testContext({ caller: { kind: 'anonymousClient', accountId, serverId: 'server-1' } });
    const { connection } = await world.instance.credentials.resolveConnection(anonymous, {
      by: { case: 'id', value: id },
      opensCredential: true,
    });
    expect(connection).toMatchObject({ id });
    const { version } = await credentialOf(world.instance, anonymous, id);
    const renewed = await credentialOf(world.instance, anonymous, id, version);
    expect(renewed.version).toBe(version + 1n);
    const read = world.instance.connections.getConnection(anonymous, { id });
    await expect(read).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('several are resolved together, each with its own credential or error, as if it were alone', async () => {
    const [one, two] = [await create(world, ctx), await createBySignIn(world, ctx)];
    const request = (id: number, endUserId?: string) => ({
      request: { by: { case: 'id', value: id } as const, ...(endUserId !== undefined && { endUserId }) },
      requestIds: [`of-${id}`],
    });
    const bySlug = { by: { case: 'applicationSlug', value: 'erp' } as const };
    const items = [
      request(one.id),
      request(two.id),
      request(0x7f_ff_ff_ff),
      request(one.id, 'somebody'),
      { request: bySlug, requestIds: [] },
    ];
    const { results } = await world.instance.credentials.resolveConnections(ctx, { items });
    expect(results.map(({ found }) => found)).toEqual([
      await resolve(one.id),
      await resolve(two.id),
      undefined,
      undefined,
      undefined,
    ]);
    const codes = results.map(({ error }) => error?.detail?.code);
    expect(codes).toEqual([undefined, undefined, 'NOT_FOUND', 'NOT_FOUND', 'NO_DEFAULT_CONNECTION']);
    const stranger = testContext({ accountId: 'acc_of_another' });
    const theirs = await world.instance.credentials.resolveConnections(stranger, {
      items: [request(one.id)],
    });
    expect(theirs.results.map(({ error }) => error?.detail?.code)).toEqual(['NOT_FOUND']);
    await world.instance.connections.setLicence(ctx, { id: one.id, status: LicenceStatus.NONE });
    const after = await world.instance.credentials.resolveConnections(ctx, { items: [request(one.id)] });
    expect(after.results[0]?.found?.credential).toBeUndefined();
    const many = { items: Array.from({ length: 201 }, () => request(one.id)) };
    await expect(world.instance.credentials.resolveConnections(ctx, many)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('has none while its access token has to be renewed, which asks no vendor', async () => {
    const { id } = await createBySignIn(world, ctx);
    expect((await resolve(id)).credential).toBeDefined();
    world.clock.advance(HOUR_MS);
    expect((await resolve(id)).credential).toBeUndefined();
    expect((await tokenCalls(world))['refresh_token'] ?? 0).toBe(0);
    const { fields: _parsed, ...renewed } = await credentialOf(world.instance, ctx, id);
    expect((await resolve(id)).credential).toEqual(renewed);
  });
});

describe('an access token', () => {
  test('[completion.connections.60] that expired is refreshed once for 50 calls over three replicas, and all get the new one', async () => {
    const { id } = await createBySignIn(world, ctx);
    const before = await credentialOf(world.instance, ctx, id);
    world.clock.advance(HOUR_MS);
    const all = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        credentialOf(required(world.instances[index % 3]), ctx, id),
      ),
    );
    expect((await tokenCalls(world))['refresh_token']).toBe(1);
    const tokens = new Set(all.map(({ accessToken }) => accessToken));
    expect(tokens.size).toBe(1);
    expect(tokens).not.toContain(before.accessToken);
    expect(new Set(all.map(({ version }) => version))).toEqual(new Set([before.version + 1n]));
    expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: true });
  });

  test('rotates: the refresh after it uses the new refresh token, which a strict vendor demands', async () => {
    const { id } = await createBySignIn(world, ctx);
    for (const instance of [...world.instances, ...world.instances]) {
      world.clock.advance(HOUR_MS);
      await credentialOf(instance, ctx, id);
    }
    expect((await tokenCalls(world))['refresh_token']).toBe(6);
    expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
  });

  test('[completion.connections.58] is not refreshed until a tenth of its lifetime is left', async () => {
    const { id } = await createBySignIn(world, ctx);
    world.clock.advance(0.89 * HOUR_MS);
    await credentialOf(world.instance, ctx, id);
    expect((await tokenCalls(world))['refresh_token']).toBe(0);
    world.clock.advance(0.02 * HOUR_MS);
    await credentialOf(world.instance, ctx, id);
    expect((await tokenCalls(world))['refresh_token']).toBe(1);
  });

  test('[completion.connections.59] that the vendor rejected is refreshed once for all that name it', async () => {
    const { id } = await createBySignIn(world, ctx);
    const { version } = await credentialOf(world.instance, ctx, id);
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        credentialOf(required(world.instances[index % 2]), ctx, id, version),
      ),
    );
    expect(new Set(all.map((credential) => credential.version))).toEqual(new Set([version + 1n]));
    expect((await tokenCalls(world))['refresh_token']).toBe(1);
  });

  test('is renewed by the connection test when the vendor no longer knows it', async () => {
    const { id } = await createBySignIn(world, ctx);
    await world.crm.admin('/expire-tokens', {});
    expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: true });
    expect((await tokenCalls(world))['refresh_token']).toBe(1);
  });
});

describe('a vendor that is down', () => {
  test('[completion.connections.62] destroys nothing: the outcome is unavailable, and once it is back the refresh works', async () => {
    const { id } = await createBySignIn(world, ctx);
    world.clock.advance(HOUR_MS);
    await world.crm.admin('/down', {});
    const { outcome } = await world.instance.credentials.getCredentials(ctx, { connectionId: id });
    expect(outcome.case).toBe('unavailable');
    expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
    await world.crm.admin('/up', {});
    expect((await credentialOf(world.instance, ctx, id)).accessToken).toBeDefined();
  });

  test('leaves a token in use that is due but not expired', async () => {
    const { id } = await createBySignIn(world, ctx);
    const { accessToken } = await credentialOf(world.instance, ctx, id);
    world.clock.advance(0.95 * HOUR_MS);
    await world.crm.admin('/down', {});
    expect((await credentialOf(world.instance, ctx, id)).accessToken).toBe(accessToken);
  });
});

describe('a grant that the vendor revoked', () => {
  test('makes the connection need a sign-in, and a PUT with one repairs it under the same id', async () => {
    const { id, connectionName } = await createBySignIn(world, ctx);
    await world.crm.admin('/revoke-grants', {});
    world.clock.advance(HOUR_MS);
    const { outcome } = await world.instance.credentials.getCredentials(ctx, { connectionId: id });
    expect(outcome.case).toBe('needsReauthentication');
    const { connection: refused } = await world.instance.connections.getConnection(ctx, { id });
    expect(refused).toMatchObject({
      status: ConnectionStatus.NEEDS_REAUTHENTICATION,
      statusReason: expect.stringMatching(/grant/) as unknown,
      statusChangedAt: timestampFromDate(world.clock.now()),
    });
    expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('Sign in again') as string,
    });

    world.clock.advance(1_000);
    const oauthState = await signIn(world, ctx);
    const replaced = await world.instance.connections.replaceConnection(ctx, {
      id,
      connectionName,
      oauthState,
    });
    expect(replaced.connection).toMatchObject({
      id,
      status: ConnectionStatus.ACTIVE,
      statusChangedAt: timestampFromDate(world.clock.now()),
    });
    expect(replaced.connection?.statusReason).toBeUndefined();
    expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: true });
  });
});

describe('client credentials', () => {
  test('of the own client are fetched on first use, once for all callers, and then kept', async () => {
    const { id, authProviderId } = await create(world, ctx, { authenticationId: 2, fields: {} });
    expect(authProviderId).toBe(0);
    expect((await tokenCalls(world))['client_credentials']).toBe(0);
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        credentialOf(required(world.instances[index % 2]), ctx, id),
      ),
    );
    expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(1);
    await credentialOf(world.instance, ctx, id);
    expect((await tokenCalls(world))['client_credentials']).toBe(1);
    world.clock.advance(HOUR_MS);
    await credentialOf(world.instance, ctx, id);
    expect((await tokenCalls(world))['client_credentials']).toBe(2);
    expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: true });
  });

  test('in the fields are used instead; while the vendor refuses them there is no token, and no status changes', async () => {
    const { clientId, clientSecret } = otherClient;
    const good = await create(world, ctx, { authenticationId: 2, fields: { clientId, clientSecret } });
    expect(good).toMatchObject({ fields: { clientId, clientSecret: null }, secretFields: ['clientSecret'] });
    expect(good.authProviderId).toBeUndefined();
    expect((await credentialOf(world.instance, ctx, good.id)).accessToken).toBeDefined();

    const bad = await create(world, ctx, {
      authenticationId: 2,
      fields: { clientId, clientSecret: 'wrong-one' },
    });
    const { outcome } = await world.instance.credentials.getCredentials(ctx, { connectionId: bad.id });
    expect(outcome.case).toBe('unavailable');
    expect(await statusOf(bad.id)).toBe(ConnectionStatus.ACTIVE);
    await world.instance.connections.replaceConnection(ctx, {
      id: bad.id,
      connectionName: 'CRM',
      fields: { membersJson: membersOf({ clientId, clientSecret }) },
    });
    expect((await credentialOf(world.instance, ctx, bad.id)).accessToken).toBeDefined();
  });
});

describe('a direct credential', () => {
  test('opens with its secrets listed for masking, whatever was rejected', async () => {
    const { id } = await create(world, ctx);
    for (const rejected of [undefined, 1n]) {
      const credential = await credentialOf(world.instance, ctx, id, rejected);
      expect(credential).toMatchObject({
        version: 1n,
        fields: { apiToken: testConfig.apiToken },
        secrets: [testConfig.apiToken],
      });
      expect(credential.accessToken).toBeUndefined();
    }
  });

  test('that is wrong fails the test with the reason and without the secret', async () => {
    const { id } = await create(world, ctx, { fields: { apiToken: 'not-the-right-token' } });
    const result = await world.instance.connections.testConnection(ctx, { id });
    expect(result.isSuccess).toBe(false);
    expect(result.errorMessage).not.toContain('not-the-right-token');
    expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
  });

  test("of another account is NOT_FOUND, as the connection's test is", async () => {
    const { id } = await create(world, ctx);
    const stranger = testContext();
    const notFound = { code: 'NOT_FOUND' };
    await expect(
      world.instance.credentials.getCredentials(stranger, { connectionId: id }),
    ).rejects.toMatchObject(notFound);
    await expect(world.instance.connections.testConnection(stranger, { id })).rejects.toMatchObject(notFound);
  });
});
