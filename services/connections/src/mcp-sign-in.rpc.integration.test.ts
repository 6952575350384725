import { startMcpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import type { McpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { registeredClientCollection } from './storage/registered-client.collection.ts';
import { signInAddresses } from './domain/sign-in-addresses.ts';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  browserContext,
  callbackTo,
  create,
  createCrmAuthProvider,
  credentialOf,
  required,
  startWorld,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

const PUBLIC_URL = 'http://127.0.0.1:9';

let world: World;
let server: McpOAuthServer;

beforeAll(async () => {
  server = await startMcpOAuthServer(PUBLIC_URL);
  world = await startWorld(inject('mongodbUri'));
});

afterAll(async () => {
  await server.close();
  await world.close();
});

const request = (fields: Record<string, string> = { serverUrl: server.url }) => ({
  applicationSlug: 'mcp',
  authenticationId: 2,
  fields,
});

/** Starts a sign-in; returns its state and the address that the person opens. */
async function start(
  ctx: RequestContext,
  { fields, ...over }: { readonly fields?: Record<string, string>; readonly provider?: object } = {},
) {
  const { fields: asked, ...method } = request(fields);
  const { state } = await world.instance.signIns.startSignIn(ctx, {
    ...method,
    fieldsJson: membersOf(asked),
    ...over,
  });
  const redirect = await world.instance.pages.bindBrowser(browserContext(), state);
  return { state, ...redirect, authorizeUrl: new URL(redirect.authorizeUrl) };
}

async function complete({ state, browserBinding, authorizeUrl }: Awaited<ReturnType<typeof start>>) {
  const callback = await server.signIn(authorizeUrl.href);
  return await world.instance.pages.completeSignIn(
    browserContext(),
    callbackTo(callback, { state, browserBinding }),
  );
}

async function signIn(ctx: RequestContext, over: object = {}): Promise<string> {
  const started = await start(ctx, over);
  await complete(started);
  return started.state;
}

const connect = async (ctx: RequestContext) =>
  create(world, ctx, {
    ...request({}),
    connectionName: 'Everything',
    oauthState: await signIn(ctx),
  });

const testConnection = (ctx: RequestContext, id: number) =>
  world.instance.connections.testConnection(ctx, { id });

test('a person signs in at the authorization server that the MCP server names, as a client registered there', async () => {
  const ctx = testContext();
  const known = server.registrations.length;
  const redirectUri = signInAddresses(PUBLIC_URL).redirectUriAt(server.issuer);
  const started = await start(ctx);
  expect(started.authorizeUrl.origin).toBe(server.issuer);
  expect(Object.fromEntries(started.authorizeUrl.searchParams)).toMatchObject({
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge_method: 'S256',
    resource: server.url,
    scope: 'mcp:tools offline_access',
    prompt: 'consent',
  });
  await complete(started);
  expect(server.registrations.slice(known)).toMatchObject([
    { client_name: 'Fairlead', redirect_uris: [redirectUri] },
  ]);
  const { completed } = await world.instance.signIns.getSignIn(ctx, { state: started.state });
  expect(completed).toMatchObject({ applicationSlug: 'mcp', authenticationId: 2, authProviderId: 0 });

  const connection = await create(world, ctx, {
    ...request({}),
    connectionName: 'Everything',
    oauthState: started.state,
  });
  expect(connection.applicationSlug).toBe(`mcp-${String(connection.id)}`);
  expect(connection.fields).toMatchObject({ serverUrl: server.url, clientSecret: null });
  expect(await testConnection(ctx, connection.id)).toMatchObject({ isSuccess: true });
  expect(server.tokenRequests.at(-1)?.get('resource')).toBe(server.url);

  // The same account uses the same client again; another account does not.
  await signIn(ctx);
  expect(server.registrations).toHaveLength(known + 1);
  await signIn(testContext());
  expect(server.registrations).toHaveLength(known + 2);
});

test('a token that the MCP server refuses is renewed once, for the same resource', async () => {
  const ctx = testContext();
  const { id } = await connect(ctx);
  const before = await credentialOf(world.instance, ctx, id);
  server.refuseTokens();
  const calls = server.tokenRequests.length;
  expect(await testConnection(ctx, id)).toMatchObject({ isSuccess: true });
  expect(
    server.tokenRequests
      .slice(calls)
      .map((parameters) => [parameters.get('grant_type'), parameters.get('resource')]),
  ).toEqual([['refresh_token', server.url]]);
  expect((await credentialOf(world.instance, ctx, id)).accessToken).not.toBe(before.accessToken);
});

test('a client that the authorization server has forgotten is registered again', async () => {
  const ctx = testContext();
  const { authorizeUrl } = await start(ctx);
  const former = required(authorizeUrl.searchParams.get('client_id') ?? undefined);
  await server.forgetClient(former);
  // The server is not asked about a recently registered client, so this one is backdated.
  await world.db
    .collection(registeredClientCollection.name)
    .updateOne({ clientId: former }, { $set: { savedAt: new Date(Date.now() - 3_600_000) } });
  const again = await start(ctx);
  expect(again.authorizeUrl.searchParams.get('client_id')).not.toBe(former);
  await complete(again);
});

test('signing in again by PUT keeps the id and the application', async () => {
  const ctx = testContext();
  const connection = await connect(ctx);
  const { connection: replaced } = await world.instance.connections.replaceConnection(ctx, {
    id: connection.id,
    connectionName: 'again',
    oauthState: await signIn(ctx, { applicationSlug: connection.applicationSlug }),
  });
  expect(replaced).toMatchObject({
    id: connection.id,
    applicationSlug: connection.applicationSlug,
    connectionName: 'again',
  });
  expect(await testConnection(ctx, connection.id)).toMatchObject({ isSuccess: true });
});

test('an auth provider is used for its own issuer only', async () => {
  const ctx = testContext({ permissions: ['authProviders.use'] });
  const values = { Key1: 'pre-registered', BaseUrl: server.issuer };
  const own = await createCrmAuthProvider(world, ctx, { ...request({}), name: 'Ours', values });
  const { authorizeUrl } = await start(ctx, { provider: { choice: { case: 'providerId', value: own.id } } });
  expect(authorizeUrl.searchParams.get('client_id')).toBe('pre-registered');
  const foreign = await createCrmAuthProvider(world, ctx, {
    ...request({}),
    name: 'Theirs',
    values: { ...values, BaseUrl: 'https://login.example' },
  });
  await expect(
    start(ctx, { provider: { choice: { case: 'providerId', value: foreign.id } } }),
  ).rejects.toMatchObject({ code: 'INVALID_AUTH_PROVIDER' });
});

test('a response that names another issuer, or none, is not redeemed', async () => {
  const ctx = testContext();
  for (const change of [
    (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
    (query: URLSearchParams) => query.delete('iss'),
  ]) {
    const { state, browserBinding, authorizeUrl } = await start(ctx);
    const callback = await server.signIn(authorizeUrl.href);
    change(callback.searchParams);
    const calls = server.tokenRequests.length;
    await expect(
      world.instance.pages.completeSignIn(browserContext(), callbackTo(callback, { state, browserBinding })),
    ).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
    expect(server.tokenRequests).toHaveLength(calls);
  }
});

test('a client that was registered with another redirect URI, as in earlier releases, is replaced', async () => {
  const ctx = testContext();
  const { authorizeUrl } = await start(ctx);
  const registered = world.db.collection('registered_clients');
  const former = { clientId: authorizeUrl.searchParams.get('client_id') };
  await registered.updateOne(former, { $unset: { redirectUri: '' } });
  await complete(await start(ctx));
  expect(await registered.countDocuments(former)).toBe(0);
});

test('a response that a hostile server had the honest one send is redeemed nowhere, with no issuer named either', async () => {
  const honest = await startMcpOAuthServer(PUBLIC_URL);
  try {
    const ctx = testContext();
    const { authorizeUrl: atHonest } = await start(ctx, { fields: { serverUrl: honest.url } });
    const { state, browserBinding, authorizeUrl } = await start(ctx);
    // As with servers that do not name themselves in responses.
    await world.db
      .collection<{ _id: string }>('sign_ins')
      .updateOne({ _id: state }, { $set: { issuer: null } });
    const mixed = new URL(atHonest);
    for (const name of ['state', 'code_challenge'])
      mixed.searchParams.set(name, required(authorizeUrl.searchParams.get(name) ?? undefined));
    const callback = await honest.signIn(mixed.href);
    callback.searchParams.delete('iss');
    const calls = [server.tokenRequests.length, honest.tokenRequests.length];
    await expect(
      world.instance.pages.completeSignIn(browserContext(), callbackTo(callback, { state, browserBinding })),
    ).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
    expect([server.tokenRequests.length, honest.tokenRequests.length]).toEqual(calls);
    // The honest server refuses another server's redirect address.
    mixed.searchParams.set(
      'redirect_uri',
      required(authorizeUrl.searchParams.get('redirect_uri') ?? undefined),
    );
    await expect(honest.signIn(mixed.href)).rejects.toThrow('redirect_uri');
  } finally {
    await honest.close();
  }
});

test('a sign-in needs the address of an MCP server that asks for one', async () => {
  const ctx = testContext();
  for (const serverUrl of ['', 'ftp://x.example', 'https://user:x@x.example', 'http://127.0.0.1:1/mcp']) {
    await expect(start(ctx, { fields: { serverUrl } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field: 'fields.serverUrl' }) as object],
    });
  }
});

test('no client secret and no token is stored in plain text', async () => {
  const ctx = testContext();
  const { id } = await connect(ctx);
  const { secrets } = await credentialOf(world.instance, ctx, id);
  expect(secrets).toHaveLength(3);
  const collections = await world.db.collections();
  const stored = JSON.stringify(await Promise.all(collections.map((each) => each.find().toArray())));
  for (const secret of secrets) expect(stored).not.toContain(secret);
});

test('deleting the connection revokes its grant where the authorization server says how', async () => {
  const ctx = testContext();
  const { id } = await connect(ctx);
  const { secrets } = await credentialOf(world.instance, ctx, id);
  await world.instance.connections.deleteConnection(ctx, { id });
  await expect.poll(() => server.revoked.length).toBe(1);
  expect(secrets).toContain(server.revoked[0]);
});
