import type { JsonObject } from '@bufbuild/protobuf';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import type { TenantVendor } from './testing/tenant-vendor.ts';
import { startTenantVendor, tenantConnector } from './testing/tenant-vendor.ts';
import {
  browserContext,
  callbackTo,
  create,
  createCrmAuthProvider,
  credentialOf,
  required,
  startWorld,
  shown,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;
let vendor: TenantVendor;

beforeAll(async () => {
  vendor = await startTenantVendor();
  world = await startWorld(inject('mongodbUri'));
  world.catalog.offer(tenantConnector(vendor.url));
});

afterAll(async () => {
  await world.close();
  await vendor.close();
});

afterEach(() => {
  Object.assign(vendor.extras, { realmId: '4620816365', instanceUrl: vendor.url });
});

const member = (): RequestContext => testContext({ permissions: ['authProviders.use'] });

/** An account whose auth provider has the client for that method. */
async function account(authenticationId = 0, more: Record<string, string> = {}): Promise<RequestContext> {
  const ctx = member();
  const values = { Key1: 'books-id', Key2: 'books-s3cr3t', ...more };
  await createCrmAuthProvider(world, ctx, {
    applicationSlug: 'books',
    authenticationId,
    isDefault: true,
    values,
  });
  return ctx;
}

async function start(ctx: RequestContext, fields: JsonObject, authenticationId = 0): Promise<string> {
  const request = { applicationSlug: 'books', authenticationId, fieldsJson: membersOf(fields) };
  return (await world.instance.signIns.startSignIn(ctx, request)).state;
}

/** Completes a started sign-in at the vendor and delivers the callback. */
async function finish(state: string): Promise<void> {
  const { pages } = world.instance;
  const redirect = await pages.bindBrowser(browserContext(), state);
  const response = await fetch(redirect.authorizeUrl, { redirect: 'manual' });
  const callback = new URL(required(response.headers.get('location') ?? undefined));
  await pages.completeSignIn(browserContext(), callbackTo(callback, { state, ...redirect }));
}

async function signIn(ctx: RequestContext, fields: JsonObject = { tenant: 'acme' }): Promise<string> {
  const state = await start(ctx, fields);
  await finish(state);
  return state;
}

const bySignIn = (oauthState: string, authenticationId = 0) => ({
  applicationSlug: 'books',
  connectionName: 'Books',
  authenticationId,
  fields: {},
  oauthState,
});

async function sentTo(during: () => Promise<unknown>): Promise<string[]> {
  const before = vendor.requests.length;
  await during();
  return vendor.requests.slice(before).map(({ path }) => path);
}

describe('fields of a sign-in, as Zendesk and QuickBooks need them', () => {
  it('[completion.connections.20] lead to the tenant, are kept with the connection and used by its calls', async () => {
    const ctx = await account();
    const state = await start(ctx, { tenant: 'acme', pin: '7391' });
    expect(await sentTo(() => finish(state))).toEqual(['/acme/authorize', '/acme/token']);
    expect(vendor.requests.at(-1)?.body).toContain('pin=7391');
    const made = await create(world, ctx, bySignIn(state));
    expect(made).toMatchObject({ fields: { tenant: 'acme', pin: null }, secretFields: ['pin'] });
    const test = () => world.instance.connections.testConnection(ctx, { id: made.id });
    expect(await sentTo(test)).toEqual(['/acme/company/4620816365/whoami']);

    // A refresh also goes to the tenant's address.
    const { version } = await credentialOf(world.instance, ctx, made.id);
    expect(await sentTo(() => credentialOf(world.instance, ctx, made.id, version))).toEqual(['/acme/token']);
    const stored = JSON.stringify(await world.db.collection('sign_ins').find().toArray());
    expect(stored + JSON.stringify(await world.db.collection('connections').find().toArray())).not.toContain(
      '7391',
    );
  });

  it('stay when other choices are made, and are those of the new sign-in after a re-authentication', async () => {
    const ctx = await account();
    const made = await create(world, ctx, bySignIn(await signIn(ctx, { tenant: 'acme', pin: '7391' })));
    const replace = { id: made.id, connectionName: 'Books' };
    const chosen = await world.instance.connections.replaceConnection(ctx, {
      ...replace,
      fields: { membersJson: {} },
    });
    expect(shown(chosen.connection)).toMatchObject({
      fields: { tenant: 'acme', pin: null },
      secretFields: ['pin'],
    });
    expect((await credentialOf(world.instance, ctx, made.id)).fields).toMatchObject({
      tenant: 'acme',
      pin: '7391',
      realmId: '4620816365',
    });

    vendor.extras.realmId = '99';
    const oauthState = await signIn(ctx, { tenant: 'other' });
    const renewed = await world.instance.connections.replaceConnection(ctx, { ...replace, oauthState });
    expect(shown(renewed.connection)).toMatchObject({
      id: made.id,
      fields: { tenant: 'other' },
      secretFields: [],
    });
    const test = () => world.instance.connections.testConnection(ctx, { id: made.id });
    expect(await sentTo(test)).toEqual(['/other/company/99/whoami']);
  });

  it.each([
    ['missing', {}, 'fields.tenant'],
    ['outside the pattern', { tenant: '../evil' }, 'fields.tenant'],
    ['not one of the method', { tenant: 'acme', region: 'eu' }, 'fields.region'],
    ["the vendor's to send", { tenant: 'acme', realmId: '1' }, 'fields.realmId'],
    ["a provider's", { tenant: 'acme', clientId: 'x' }, 'fields.clientId'],
  ])('[completion.connections.21] one that is %s is a VALIDATION_ERROR', async (_fault, fields, field) => {
    await expect(start(await account(), fields)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field }) as unknown],
    });
  });
});

describe('what the vendor sends, as QuickBooks and Salesforce do', () => {
  it.each([
    ['no company in the callback', { realmId: undefined }, 'Books did not send "Company"', 0],
    ['a company outside the pattern', { realmId: '1/../2' }, 'Books sent an invalid value for "Company"', 0],
    ['no address with the tokens', { instanceUrl: undefined }, 'Books did not send "Address"', 1],
    [
      'an address at another host',
      { instanceUrl: 'https://evil.example' },
      'Books sent an invalid value for "Address"',
      1,
    ],
    [
      'a disguised address',
      { instanceUrl: 'http://127.0.0.1@evil.example/' },
      'Books sent an invalid value for "Address"',
      1,
    ],
  ])('%s fails the sign-in, and nothing is kept', async (_fault, extras, reason, tokenRequests) => {
    const ctx = await account();
    Object.assign(vendor.extras, extras);
    const state = await start(ctx, { tenant: 'acme' });
    const paths = await sentTo(() =>
      expect(finish(state)).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' }),
    );
    expect(paths.filter((path) => path.endsWith('/token'))).toHaveLength(tokenRequests);
    await expect(world.instance.signIns.getSignIn(ctx, { state })).rejects.toMatchObject({
      code: 'OAUTH_SIGN_IN_FAILED',
      message: `The sign-in failed: ${reason}`,
    });
    await expect(create(world, ctx, bySignIn(state))).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
  });

  it('with a refresh takes the place of the former; what is invalid does not', async () => {
    const ctx = await account();
    const made = await create(world, ctx, bySignIn(await signIn(ctx)));
    const refresh = async (instanceUrl: string | undefined): Promise<unknown> => {
      vendor.extras.instanceUrl = instanceUrl;
      const { version } = await credentialOf(world.instance, ctx, made.id);
      return (await credentialOf(world.instance, ctx, made.id, version)).fields['instanceUrl'];
    };
    const moved = `${vendor.url}/na2`;
    expect(await refresh(moved)).toBe(moved);
    expect(await refresh('https://evil.example')).toBe(moved);
    expect(await refresh(undefined)).toBe(moved);
    const test = () => world.instance.connections.testConnection(ctx, { id: made.id });
    expect(await sentTo(test)).toEqual(['/na2/acme/company/4620816365/whoami']);
  });
});

describe('what the vendor sends to a client, as Salesforce does', () => {
  const given = { clientId: 'books-id', clientSecret: 'books-s3cr3t' };
  const connect = (ctx: RequestContext, fields: JsonObject) =>
    create(world, ctx, { applicationSlug: 'books', authenticationId: 3, fields });

  it('is where its calls go; without it there is no token, until the vendor sends it', async () => {
    const ctx = member();
    const { id } = await connect(ctx, given);
    const test = () => world.instance.connections.testConnection(ctx, { id });
    vendor.extras.instanceUrl = 'https://evil.example';
    expect(await test()).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('Books sent an invalid value for "Address"') as unknown,
    });
    vendor.extras.instanceUrl = `${vendor.url}/na1`;
    expect(await sentTo(test)).toEqual(['/oauth/token', '/na1/services/whoami']);
  });

  it("is not the caller's to set", async () => {
    const fields = { ...given, instanceUrl: vendor.url };
    await expect(connect(member(), fields)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field: 'fields.instanceUrl' }) as unknown],
    });
  });
});

describe("a provider's own address, as of a self-hosted GitLab", () => {
  const provider = (ctx: RequestContext, BaseUrl: string) =>
    createCrmAuthProvider(world, ctx, {
      applicationSlug: 'books',
      authenticationId: 2,
      values: { Key1: 'books-id', Key2: 'books-s3cr3t', BaseUrl },
    });

  it('is where its sign-ins, refreshes and calls go', async () => {
    const ctx = await account(1, { BaseUrl: `${vendor.url}/git/` });
    const state = await start(ctx, {}, 1);
    expect(await sentTo(() => finish(state))).toEqual(['/git/authorize', '/git/token']);
    const made = await create(world, ctx, bySignIn(state, 1));
    expect(made.fields).toEqual({});
    const test = () => world.instance.connections.testConnection(ctx, { id: made.id });
    expect(await sentTo(test)).toEqual(['/git/api/whoami']);
    const { version } = await credentialOf(world.instance, ctx, made.id);
    expect(await sentTo(() => credentialOf(world.instance, ctx, made.id, version))).toEqual(['/git/token']);
  });

  it.each([
    'http://[::1]',
    'https://a.b@evil.example',
    'https://evil.example#',
    'https://evil.example/?x=',
    'https://evil.example\r\nHost: a.b',
    'https://evil\u3002example',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ])('is refused when it is set to %j', async (BaseUrl) => {
    await expect(provider(member(), BaseUrl)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field: 'values.BaseUrl' }) as unknown],
    });
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1',
    'http://2852039166',
    'http://127.1.2.3',
  ])('gets no request at the private address %s', async (BaseUrl) => {
    const ctx = member();
    await provider(ctx, BaseUrl);
    const { id } = await create(world, ctx, {
      applicationSlug: 'books',
      authenticationId: 2,
      fields: {},
      provider: { choice: { case: 'providerName', value: 'Ours' } },
    });
    expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringMatching(/are not allowed: it is not a public address/) as unknown,
    });
  });

  it("cannot be the caller's, who does not own the client", async () => {
    const ctx = await account(2, { BaseUrl: vendor.url });
    const given = {
      applicationSlug: 'books',
      authenticationId: 2,
      fields: { address: 'https://evil.example' },
    };
    const paths = await sentTo(() =>
      expect(create(world, ctx, given)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [expect.objectContaining({ field: 'fields.address' }) as unknown],
      }),
    );
    expect(paths).toEqual([]);
  });
});
