import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ConnectionChanged } from '@fairlead/contracts/connections/v1/connection_changes_pb';
import {
  ConnectionChangedSchema,
  ConnectionChangeKind as Kind,
} from '@fairlead/contracts/connections/v1/connection_changes_pb';
import { ConnectionStatus, LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { byKey, openSession } from './testing/connect-sessions.ts';
import { create, createBySignIn, signIn, startWorld } from './testing/world.ts';
import type { World } from './testing/world.ts';

const HOUR_MS = 3_600_000;

let world: World;
let ctx: RequestContext;
let cursor: string;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { ownClientMethods: [0], count: 2 });
});
afterAll(() => world.close());
beforeEach(async () => {
  ctx = testContext();
  await news();
});

/** The changes since the last call, read from the two instances in turn. */
async function news(): Promise<ConnectionChanged[]> {
  const found: ConnectionChanged[] = [];
  for (let calls = 0; ; calls += 1) {
    const { changes } = world.instances[calls % 2] ?? world.instance;
    const page = await changes.listChanges(platformContext, { cursor: cursor ?? '', limit: 2 });
    cursor = page.nextCursor;
    for (const change of page.changes) {
      expect(change.subject).toBe(defineEvent(ConnectionChangedSchema).subject);
      found.push(fromBinary(ConnectionChangedSchema, change.payload));
    }
    if (!page.hasMore) return found;
  }
}

describe('a change record', () => {
  test('is written for a creation and a deletion, in the account and at the time of the change', async () => {
    const before = cursor;
    const { id } = await create(world, ctx, { licenceStatus: LicenceStatus.NONE });
    world.clock.advance(1_000);
    await world.instance.connections.deleteConnection(ctx, { id });
    const last = { connectionId: id, applicationSlug: 'sandbox-crm', status: ConnectionStatus.BLOCKED };
    expect(await news()).toMatchObject([
      { ...last, kind: Kind.CREATED },
      { ...last, kind: Kind.DELETED },
    ]);
    const { changes } = await world.instance.changes.listChanges(platformContext, {
      cursor: before,
      limit: 9,
    });
    const { accountId } = ctx.caller as { accountId: string };
    expect(changes).toMatchObject([{ accountId }, { accountId }]);
    const times = changes.map(({ occurredAt }) => (occurredAt ? timestampDate(occurredAt) : undefined));
    expect(times).toEqual([new Date(world.clock.now().getTime() - 1_000), world.clock.now()]);
    expect((changes[1]?.number ?? 0n) - (changes[0]?.number ?? 0n)).toBe(1n);
  });

  test('says that a connection needs a new sign-in, and why, and that it has recovered', async () => {
    const { id, connectionName } = await createBySignIn(world, ctx);
    await news();
    await world.crm.admin('/revoke-grants', {});
    world.clock.advance(HOUR_MS);
    await world.instance.credentials.getCredentials(ctx, { connectionId: id });
    await world.instance.credentials.getCredentials(ctx, { connectionId: id });
    const refused = await news();
    expect(refused).toMatchObject([
      {
        connectionId: id,
        kind: Kind.NEEDS_REAUTHENTICATION,
        status: ConnectionStatus.NEEDS_REAUTHENTICATION,
        reason: expect.stringMatching(/./) as unknown,
      },
    ]);

    const oauthState = await signIn(world, ctx);
    await world.instance.connections.replaceConnection(ctx, { id, connectionName, oauthState });
    expect(await news()).toMatchObject([
      { connectionId: id, kind: Kind.RECOVERED, status: ConnectionStatus.ACTIVE },
    ]);
  });

  test('says that the licence has changed, and until when it holds', async () => {
    const { id } = await create(world, ctx);
    const { connections } = world.instance;
    const expiresAt = timestampFromDate(new Date(world.clock.now().getTime() + HOUR_MS));
    await connections.setLicence(ctx, { id, status: LicenceStatus.NONE });
    await connections.setLicence(ctx, { id, status: LicenceStatus.ACTIVE, expiresAt });
    await connections.setLicence(ctx, { id, status: LicenceStatus.ACTIVE, expiresAt });
    expect(await news()).toMatchObject([
      { kind: Kind.CREATED },
      { kind: Kind.LICENCE_CHANGED, status: ConnectionStatus.BLOCKED },
      {
        kind: Kind.LICENCE_CHANGED,
        status: ConnectionStatus.ACTIVE,
        licence: { status: LicenceStatus.ACTIVE, expiresAt },
      },
    ]);
  });

  test('names the end user, if the connection is theirs, and the last one that the deletion of the end user writes', async () => {
    await create(world, ctx);
    const { page } = await openSession(world, ctx);
    await world.instance.pages.connectApplication(page, byKey());
    await world.instance.connectSessions.deleteEndUser(ctx, { endUserId: 'customer-1' });
    const written = await news();
    expect(written.map(({ kind, endUserId }) => [kind, endUserId])).toEqual([
      [Kind.CREATED, undefined],
      [Kind.CREATED, 'customer-1'],
      [Kind.DELETED, 'customer-1'],
    ]);
  });

  test('is not written for a change that other services need not know, nor for a write that fails', async () => {
    const first = await create(world, ctx);
    const second = await create(world, ctx);
    await news();
    const { connections } = world.instance;
    await connections.replaceConnection(ctx, { id: first.id, connectionName: 'renamed' });
    await connections.setDefaultConnection(ctx, { id: second.id });
    const used = await signIn(world, ctx);
    await create(world, ctx, { authenticationId: 0, fields: {}, oauthState: used });
    expect(await news()).toHaveLength(1);
    await expect(
      create(world, ctx, { authenticationId: 0, fields: {}, oauthState: used }),
    ).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
    expect(await news()).toEqual([]);
  });

  test('holds nothing secret and is removed with its account', async () => {
    await createBySignIn(world, ctx);
    const { accountId } = ctx.caller as { accountId: string };
    const stored = world.db.collection('changes');
    expect(await stored.countDocuments({ accountId })).toBe(1);
    await world.instance.accountData.eraseAccountData(platformContext, { accountId });
    expect(await stored.countDocuments({ accountId })).toBe(0);
    expect(await news()).toEqual([]);
  });
});

describe('the change log', () => {
  test('is not shown to a user', async () => {
    await expect(world.instance.changes.listChanges(ctx, { limit: 10 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test.each([0, -1, 1_001])('a limit of %i is a VALIDATION_ERROR', async (limit) => {
    await expect(world.instance.changes.listChanges(platformContext, { limit })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'limit' }],
    });
  });
});
