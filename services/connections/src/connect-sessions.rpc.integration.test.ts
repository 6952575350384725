import { ConnectSessionStatus } from '@fairlead/contracts/connections/v1/connect_session_pb';
import { signInAndAllow } from '@fairlead/sandbox-crm/testing/form-browser';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { readPage } from '@fairlead/service-kit/page';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { byKey, openSession, pageContext, resolveSession } from './testing/connect-sessions.ts';
import {
  browserContext,
  callbackTo,
  create,
  createCrmAuthProvider,
  required,
  startWorld,
  otherClient,
  REDIRECT_URI,
} from './testing/world.ts';
import type { World } from './testing/world.ts';
import type { ConnectApplicationCommand } from './use-cases/connect-application.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { ownClientMethods: [0] });
});

afterAll(() => world.close());

const NOT_FOUND = { code: 'NOT_FOUND' };
const slug = 'sandbox-crm';
const bySignIn = { applicationSlug: slug, authenticationId: 0, fields: {} };
const firstPage = { page: readPage(undefined), search: '' };

const open = (ctx: RequestContext, request: Parameters<typeof openSession>[2] = {}) =>
  openSession(world, ctx, request);
const resolve = (token: string) => resolveSession(world, token);

async function statusOf(ctx: RequestContext, sessionId: string) {
  return required((await world.instance.connectSessions.getConnectSession(ctx, { sessionId })).session);
}

/** Signs in at the vendor within a session, and delivers the callback in the same browser. */
async function authorize(page: RequestContext) {
  const redirect = await world.instance.pages.signInWithinSession(page, bySignIn);
  const callback = await signInAndAllow(redirect.authorizeUrl, testConfig.user);
  return callbackTo(callback, redirect);
}

/** Connects in a session: the created or renewed connection; fails the test if the vendor refuses. */
async function connectedBy(page: RequestContext, command: ConnectApplicationCommand) {
  const outcome = await world.instance.pages.connectApplication(page, command);
  if ('refusal' in outcome) throw new Error(outcome.refusal);
  return outcome.connection;
}

describe('a connection by fields', () => {
  it('is tried at the vendor before it is stored, gets what the session says, and completes the session', async () => {
    const ctx = testContext();
    const { pages } = world.instance;
    const { sessionId, page, token, connectUrl } = await open(ctx, {
      applicationSlugs: [slug],
      metadataJson: Buffer.from('{"plan":"gold"}'),
      redirectUrl: 'https://app.example/done',
    });
    expect(connectUrl).toBe(`http://127.0.0.1:9/connect/session/${token}`);

    const refused = await pages.connectApplication(page, byKey('wrong'));
    expect(refused).toEqual({ refusal: expect.any(String) as string });
    expect(await statusOf(ctx, sessionId)).toMatchObject({
      status: ConnectSessionStatus.OPEN,
      lastError: 'refusal' in refused && refused.refusal,
      allowedOrigins: ['https://app.example'],
      connections: [],
    });
    const { connections } = world.instance;
    expect((await connections.listConnections(ctx, {})).totalCount).toBe(0);

    const connection = await connectedBy(page, byKey());
    expect(connection).toMatchObject({ endUserId: 'customer-1', isDefault: true, applicationSlug: slug });
    expect(connection.metadata.parse()).toEqual({ plan: 'gold' });
    const after = await statusOf(ctx, sessionId);
    expect(after).toMatchObject({
      status: ConnectSessionStatus.COMPLETED,
      connections: [{ applicationSlug: slug, connectionName: 'Sandbox CRM' }],
    });
    expect(after.lastError).toBeUndefined();
    expect((await resolve(token)).isUsable).toBe(false);
    await expect(pages.connectApplication(page, byKey())).rejects.toMatchObject(NOT_FOUND);
  });

  it('races for the last place of the end user: the vendor may accept all, one is stored', async () => {
    const ctx = testContext();
    const { page } = await open(ctx, { maxConnections: 1 });
    const { pages, connections } = world.instance;
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => pages.connectApplication(page, byKey())),
    );
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(reasons).toHaveLength(4);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'CONFLICT' });
    expect((await connections.listConnections(ctx, { endUserId: 'customer-1' })).totalCount).toBe(1);
  });
});

it.each(['user', 'key'])(
  'a session whose %s has ended reads cancelled, to the account and by its token',
  async (ended) => {
    const ctx = testContext();
    const userId = ctx.caller.kind === 'user' ? ctx.caller.userId : '';
    const keyId = `key_of_${userId}`;
    const { sessionId, token, page } = await open(ctx, { keyId });
    const byToken = async () => world.instance.pages.readConnectSession(browserContext(), new Secret(token));
    expect(await byToken()).toMatchObject({ id: sessionId, endedAt: null });
    world.identity.end(ended === 'user' ? userId : keyId);
    expect(await byToken()).toMatchObject({ endedAt: expect.any(Date) as Date });
    expect(await statusOf(ctx, sessionId)).toMatchObject({ status: ConnectSessionStatus.CANCELLED });
    await expect(world.instance.pages.connectApplication(page, byKey())).rejects.toMatchObject(NOT_FOUND);
  },
);

describe('a sign-in', () => {
  it('belongs to its session and browser, and becomes a connection of the end user once', async () => {
    const ctx = testContext();
    const { page, sessionId } = await open(ctx, { applicationSlugs: [slug] });
    const { pages, signIns } = world.instance;
    const callback = await authorize(page);
    const { state } = callback;
    // The session's sign-in is not reachable by the general sign-in page: a person who agreed there would connect into somebody else's
    // session.
    for (const step of ['describeSignIn', 'bindBrowser'] as const)
      await expect(pages[step](browserContext(), state)).rejects.toMatchObject({
        code: 'OAUTH_STATE_EXPIRED',
      });
    // Another browser is refused, although it knows state and code.
    await expect(
      pages.completeSignIn(browserContext(), { ...callback, browserBinding: new Secret('x'.repeat(43)) }),
    ).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
    expect(await pages.getConnectSignIn(page, state)).toBeUndefined();
    expect(await pages.completeSignIn(browserContext(), callback)).toMatchObject({
      applicationName: 'Sandbox CRM',
      connectSessionId: sessionId,
    });
    const { outcome } = required(await pages.getConnectSignIn(page, state));
    const [, workspace] = Object.keys(outcome.fieldOptions['workspace'] ?? {});

    // Neither the user who opened the session nor another session may use the sign-in.
    const { userId } = (await resolve((await open(ctx)).token)).session;
    expect(userId).toBe(ctx.caller.kind === 'user' ? ctx.caller.userId : '');
    await expect(signIns.getSignIn(ctx, { state })).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
    await expect(
      create(world, ctx, { authenticationId: 0, fields: {}, oauthState: state }),
    ).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
    const other = await open(ctx);
    const request = { ...bySignIn, oauthState: state, fields: { workspace: required(workspace) } };
    await expect(pages.connectApplication(other.page, request)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });

    expect(await connectedBy(page, request)).toMatchObject({
      endUserId: 'customer-1',
      fields: { workspace },
      authProviderId: 0,
    });
  });

  it('of a session keeps only the newest five of its states', async () => {
    const ctx = testContext();
    const { page, accountId } = await open(ctx);
    for (let count = 0; count < 8; count += 1) await world.instance.pages.signInWithinSession(page, bySignIn);
    expect(await world.db.collection('sign_ins').countDocuments({ accountId })).toBe(5);
  });

  it('that the vendor refuses is a response with the session to go back to, whose last error it becomes', async () => {
    const ctx = testContext();
    const { page, sessionId } = await open(ctx);
    const { state, browserBinding } = await world.instance.pages.signInWithinSession(page, bySignIn);
    const query = `state=${state}&error=access_denied&error_description=No+thanks`;
    const callback = callbackTo(new URL(`${REDIRECT_URI}?${query}`), { state, browserBinding });
    const back = await world.instance.pages.completeSignIn(browserContext(), callback);
    expect(back).toMatchObject({ connectSessionId: sessionId, refusal: 'No thanks' });
    expect((await statusOf(ctx, sessionId)).lastError).toBe('No thanks');
  });
});

describe('what a session offers', () => {
  it('is what can be connected now, with the fields that a person fills in', async () => {
    const ctx = testContext({ permissions: ['authProviders.use'] });
    const { pages } = world.instance;
    const { page } = await open(ctx, { applicationSlugs: [slug] });
    const { items, totalCount } = await pages.listConnectApplications(page, firstPage);
    expect([items.map((item) => item.slug), totalCount]).toEqual([[slug], 1]);
    const none = await pages.listConnectApplications(page, { ...firstPage, search: 'nothing' });
    expect(none.totalCount).toBe(0);
    const { methods } = await pages.getConnectApplication(page, slug);
    expect(methods).toMatchObject([
      { method: { authenticationId: 0 }, fields: [{ name: 'loginHint', atSignIn: true }] },
      { method: { authenticationId: 1 }, fields: [{ name: 'apiToken', isPassword: true }] },
      { method: { authenticationId: 2 } },
    ]);
    await expect(pages.getConnectApplication(page, 'http-api')).rejects.toMatchObject(NOT_FOUND);
    await expect(
      pages.connectApplication(page, { ...byKey(), applicationSlug: 'mcp' }),
    ).rejects.toMatchObject(NOT_FOUND);
    const everything = await pages.listConnectApplications((await open(ctx)).page, firstPage);
    expect(everything.items.map((item) => item.slug)).toContain(slug);
    expect(everything.items.map((item) => item.slug)).not.toContain('mcp');
  });

  it('uses the account’s auth provider, whose client credentials are tried too', async () => {
    const ctx = testContext({ permissions: ['authProviders.use', 'authProviders.manage'] });
    const { pages } = world.instance;
    await createCrmAuthProvider(world, ctx, { name: 'machine', authenticationId: 2, isDefault: true });
    const { page } = await open(ctx);
    const { methods } = await pages.getConnectApplication(page, slug);
    expect(methods.find(({ method }) => method.authenticationId === 2)?.fields).toEqual([]);
    const machine = { applicationSlug: slug, authenticationId: 2, fields: {}, oauthState: undefined };
    expect(await pages.connectApplication(page, machine)).toHaveProperty('connection');
    const { clientId } = otherClient;
    const refused = await pages.connectApplication((await open(testContext())).page, {
      ...machine,
      fields: { clientId, clientSecret: 'wrong' },
    });
    expect(refused).toHaveProperty('refusal');
  });
});

describe('a renewal', () => {
  it('keeps the id, the name and the metadata, and is only for the connection’s end user', async () => {
    const ctx = testContext();
    const { pages, connections, connectSessions } = world.instance;
    const first = await open(ctx, { metadataJson: Buffer.from('{"a":1}') });
    const { id } = await connectedBy(first.page, byKey());
    await expect(open(ctx, { endUserId: 'customer-2', connectionId: id })).rejects.toMatchObject(NOT_FOUND);
    await expect(open(testContext(), { connectionId: id })).rejects.toMatchObject(NOT_FOUND);
    const { page, sessionId, token } = await open(ctx, { connectionId: id, maxConnections: 1 });
    expect((await resolve(token)).renews?.id).toBe(id);
    expect(await pages.connectApplication(page, byKey('wrong'))).toHaveProperty('refusal');
    const renewed = await connectedBy(page, byKey());
    expect(renewed).toMatchObject({ id, connectionName: 'Sandbox CRM' });
    expect(renewed.metadata.parse()).toEqual({ a: 1 });
    const { session } = await connectSessions.getConnectSession(ctx, { sessionId });
    expect(session?.connections).toMatchObject([{ connectionId: id }]);
    expect((await connections.listConnections(ctx, {})).totalCount).toBe(1);
  });
});

describe('a renewal of a shared connection', () => {
  it('keeps it shared, and is of that connection alone', async () => {
    const ctx = testContext();
    const { connections, connectSessions } = world.instance;
    const { connection } = await connections.createConnection(ctx, {
      applicationSlug: slug,
      authenticationId: 1,
      connectionName: 'Shared',
      fieldsJson: membersOf({ ...byKey().fields }),
    });
    const { id } = required(connection);
    const theirs = await connectedBy((await open(ctx)).page, byKey());
    await expect(open(ctx, { connectionId: id })).rejects.toMatchObject(NOT_FOUND);
    const ofTheirs = { connectionId: theirs.id, renewsShared: true };
    await expect(open(ctx, ofTheirs)).rejects.toMatchObject(NOT_FOUND);
    const { page, sessionId, token } = await open(ctx, { connectionId: id, renewsShared: true });
    expect((await resolve(token)).renews?.id).toBe(id);
    expect(await connectedBy(page, byKey())).toMatchObject({ id, endUserId: null, connectionName: 'Shared' });
    const { session } = await connectSessions.getConnectSession(ctx, { sessionId });
    expect(session?.connections).toMatchObject([{ connectionId: id }]);
    await expect(connectedBy(page, byKey())).rejects.toMatchObject(NOT_FOUND);
  });
});

describe('what no end user reaches', () => {
  it('is another end user’s session, another account’s, one that is over, or the account’s own calls', async () => {
    const ctx = testContext();
    const { pages, connections, connectSessions } = world.instance;
    const { page, sessionId, accountId } = await open(ctx);
    const ended = await open(ctx);
    await connectSessions.endConnectSession(ctx, { sessionId: ended.sessionId });
    await connectSessions.endConnectSession(ctx, { sessionId: ended.sessionId });
    const cancelled = await open(ctx);
    await pages.cancelConnectSession(cancelled.page);
    expect(await statusOf(ctx, cancelled.sessionId)).toMatchObject({
      status: ConnectSessionStatus.CANCELLED,
    });
    const elsewhere = testContext();
    for (const context of [
      pageContext({ accountId, endUserId: 'customer-2', sessionId }),
      pageContext({ accountId: (await open(elsewhere)).accountId, endUserId: 'customer-1', sessionId }),
      ended.page,
      cancelled.page,
    ]) {
      for (const call of [
        () => pages.connectApplication(context, byKey()),
        () => pages.signInWithinSession(context, bySignIn),
        () => pages.getConnectApplication(context, slug),
        () => pages.listConnectApplications(context, firstPage),
        () => pages.cancelConnectSession(context),
      ]) {
        await expect(call()).rejects.toMatchObject(NOT_FOUND);
      }
    }
    await expect(connections.listConnections(page, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(pages.connectApplication(ctx, byKey())).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    await expect(connectSessions.getConnectSession(elsewhere, { sessionId })).rejects.toMatchObject(
      NOT_FOUND,
    );
    await expect(resolve('x'.repeat(47))).rejects.toMatchObject(NOT_FOUND);
    await expect(pages.resolveConnectSession(ctx, new Secret('x'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('is anything after an end user was deleted, in use or not; everything of theirs is gone', async () => {
    const ctx = testContext();
    const { pages, connections, connectSessions } = world.instance;
    const { page, sessionId, token, accountId } = await open(ctx);
    const other = await open(ctx, { endUserId: 'customer-2' });
    await pages.connectApplication(page, byKey());
    await pages.connectApplication(other.page, byKey());
    const own = await create(world, ctx);
    const { state } = await pages.signInWithinSession(page, bySignIn);
    for (let count = 0; count < 2; count += 1)
      await connectSessions.deleteEndUser(ctx, { endUserId: 'customer-1' });
    await expect(pages.connectApplication(page, byKey())).rejects.toMatchObject(NOT_FOUND);
    await expect(connectSessions.getConnectSession(ctx, { sessionId })).rejects.toMatchObject(NOT_FOUND);
    await expect(resolve(token)).rejects.toMatchObject(NOT_FOUND);
    await expect(world.instance.pages.describeSignIn(browserContext(), state)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });
    const { items } = await connections.listConnections(ctx, {});
    expect(items.map(({ endUserId }) => endUserId)).toEqual([undefined, 'customer-2']);
    expect(items[0]?.id).toBe(own.id);
    expect(await world.db.collection('connections').countDocuments({ accountId })).toBe(2);
    const endUsers = world.db.collection('end_users').find({ accountId });
    expect((await endUsers.toArray()).map(({ endUserId }) => endUserId as unknown)).toEqual(['customer-2']);
  });
});

describe('time', () => {
  it('ends a session: its token still says so, and connects nothing', async () => {
    const ctx = testContext();
    const { pages } = world.instance;
    const { page, sessionId, token } = await open(ctx, {
      expiresInMinutes: 5,
      allowedOrigins: ['https://time.example'],
    });
    const allowed = () => pages.isOriginAllowed(browserContext(), 'https://time.example');
    expect(await allowed()).toBe(true);
    world.clock.advance(5 * 60_000);
    expect(await allowed()).toBe(false);
    expect((await statusOf(ctx, sessionId)).status).toBe(ConnectSessionStatus.EXPIRED);
    expect(await resolve(token)).toMatchObject({ isUsable: false });
    await expect(pages.connectApplication(page, byKey())).rejects.toMatchObject(NOT_FOUND);
  });
});
