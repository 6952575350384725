import { FormBrowser } from '@fairlead/sandbox-crm/testing/form-browser';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import {
  authorize,
  browserContext,
  callbackTo,
  create,
  createBySignIn,
  REDIRECT_URI,
  required,
  signIn,
  startCrmSignIn,
  startWorld,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { ownClientMethods: [0] });
});

afterAll(() => world.close());

const expired = { code: 'OAUTH_STATE_EXPIRED' };
const bySignIn = (oauthState: string) => ({ authenticationId: 0, fields: {}, oauthState });

describe('a complete sign-in', () => {
  it('pending polls are empty, then the sign-in is complete with options and scopes, and creates a connection', async () => {
    const ctx = testContext();
    const { signIns, pages } = world.instance;
    const request = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
    const { signInUrl, state } = await signIns.startSignIn(ctx, request);
    expect(signInUrl).toBe(`http://127.0.0.1:9/connect/start/${state}`);
    expect((await signIns.getSignIn(ctx, { state })).completed).toBeUndefined();

    const callback = await authorize(world, state);
    expect((await signIns.getSignIn(ctx, { state })).completed).toBeUndefined();
    expect(await pages.completeSignIn(browserContext(), callback)).toMatchObject({
      applicationName: 'Sandbox CRM',
    });

    const completed = required((await signIns.getSignIn(ctx, { state })).completed);
    expect(completed).toMatchObject({
      applicationSlug: 'sandbox-crm',
      authenticationId: 0,
      authProviderId: 0,
      suggestedName: 'Sandbox CRM',
    });
    expect(completed.grantedScopes).toContain('crm.read');
    const workspaces = Object.keys(new LazyJson(completed.fieldOptionsJson).parseObject()['workspace'] ?? {});
    expect(workspaces.length).toBeGreaterThan(1);

    const connection = await create(world, ctx, {
      ...bySignIn(state),
      fields: { workspace: required(workspaces[1]), ApiKey: 'x', RefreshToken: 'y', whatever: 1 },
    });
    expect(connection).toMatchObject({
      grantedScopes: { scopes: completed.grantedScopes },
      authProviderId: 0,
      fields: { workspace: workspaces[1] },
      secretFields: [],
    });
    expect(await world.instance.connections.testConnection(ctx, { id: connection.id })).toMatchObject({
      isSuccess: true,
    });
  });

  it('an omitted choice takes the first option, and the next suggestion avoids the taken name', async () => {
    const ctx = testContext();
    const state = await signIn(world, ctx);
    const { completed } = await world.instance.signIns.getSignIn(ctx, { state });
    const options = new LazyJson(required(completed).fieldOptionsJson).parseObject();
    const connection = await create(world, ctx, { ...bySignIn(state), connectionName: 'Sandbox CRM' });
    expect(connection.fields).toEqual({ workspace: Object.keys(options['workspace'] ?? {})[0] });
    const second = await world.instance.signIns.getSignIn(ctx, { state: await signIn(world, ctx) });
    expect(second.completed?.suggestedName).toBe('Sandbox CRM 2');
  });

  it('no token, API key or client secret is in the database in plain text, and the verifier is sealed', async () => {
    const ctx = testContext();
    const connection = await createBySignIn(world, ctx);
    await create(world, ctx);
    const waiting = await signIn(world, ctx);
    const { outcome } = await world.instance.credentials.getCredentials(ctx, { connectionId: connection.id });
    const secrets = outcome.case === 'credential' ? outcome.value.secrets : [];
    expect(secrets).toHaveLength(2);
    const collections = await world.db.collections();
    const stored = JSON.stringify(await Promise.all(collections.map((each) => each.find().toArray())));
    expect(stored).toContain(waiting);
    const pending = await world.db.collection('sign_ins').find().toArray();
    for (const document of pending) expect(document['codeVerifier']).toMatch(/^s1\./);
    for (const secret of [...secrets, testConfig.apiToken, 'own-client-secret']) {
      expect(stored).not.toContain(secret);
    }
  });
});

describe('a state', () => {
  it('[limits.11, completion.connections.7] lives exactly 300 s from its start', async () => {
    const ctx = testContext();
    const state = await signIn(world, ctx);
    // The clock advances only by the test's steps.
    world.clock.advance(299_999);
    expect((await world.instance.signIns.getSignIn(ctx, { state })).completed).toBeDefined();
    world.clock.advance(1);
    await expect(world.instance.signIns.getSignIn(ctx, { state })).rejects.toMatchObject(expired);
    await expect(create(world, ctx, bySignIn(state))).rejects.toMatchObject(expired);
    expect(await world.db.collection('connections').countDocuments({ accountId: accountId(ctx) })).toBe(0);
  });

  it('creates one connection, however many creations race for it', async () => {
    const ctx = testContext();
    const state = await signIn(world, ctx);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => create(world, ctx, bySignIn(state))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refusals).toEqual(Array.from({ length: 7 }, () => expect.objectContaining(expired) as unknown));
    expect(await world.db.collection('connections').countDocuments({ accountId: accountId(ctx) })).toBe(1);
  });

  it.each([
    ['another account', () => testContext()],
    [
      'another person of the account',
      (own: ReturnType<typeof testContext>) => testContext({ accountId: accountId(own) }),
    ],
  ])('is nothing to %s', async (_name, stranger) => {
    const ctx = testContext();
    const state = await signIn(world, ctx);
    const other = stranger(ctx);
    await expect(world.instance.signIns.getSignIn(other, { state })).rejects.toMatchObject(expired);
    await expect(create(world, other, bySignIn(state))).rejects.toMatchObject(expired);
    expect((await create(world, ctx, bySignIn(state))).id).toBeGreaterThan(0);
  });

  it.each(['nonsense', '', '00000000-0000-4000-8000-000000000000'])('%o polls as expired', async (state) => {
    await expect(world.instance.signIns.getSignIn(testContext(), { state })).rejects.toMatchObject(expired);
  });

  it('not yet authorised cannot create a connection', async () => {
    const ctx = testContext();
    const state = await startCrmSignIn(world, ctx);
    await expect(create(world, ctx, bySignIn(state))).rejects.toMatchObject(expired);
  });

  it('missing or empty is OAUTH_STATE_REQUIRED', async () => {
    const required = { code: 'OAUTH_STATE_REQUIRED' };
    const request = { authenticationId: 0, fields: {} };
    await expect(create(world, testContext(), request)).rejects.toMatchObject(required);
    await expect(create(world, testContext(), { ...request, oauthState: '' })).rejects.toMatchObject(
      required,
    );
  });

  it('survives an invalid creation', async () => {
    const ctx = testContext();
    const state = await signIn(world, ctx);
    const refusals = [
      { connectionName: '' },
      { authenticationId: 1 },
      { fields: { workspace: 'no-such-workspace' } },
      { fields: { ExternalOrgId: 'x' } },
      { applicationSlug: 'no-such-application' },
    ];
    for (const refusal of refusals) {
      await expect(create(world, ctx, { ...bySignIn(state), ...refusal })).rejects.toMatchObject({
        code: expect.stringMatching(/^(VALIDATION_ERROR|INVALID_FIELD|NOT_FOUND)$/) as string,
      });
    }
    expect((await create(world, ctx, bySignIn(state))).isDefault).toBe(true);
  });
});

describe('the description of a sign-in', () => {
  it('names who asks for what and where, as often as it is asked for, without the verifier', async () => {
    const ctx = testContext();
    const { pages } = world.instance;
    const state = await startCrmSignIn(world, ctx);
    const described = await pages.describeSignIn(browserContext(), state);
    expect(described).toMatchObject({
      accountId: accountId(ctx),
      userId: ctx.caller.kind === 'user' ? ctx.caller.userId : '',
      applicationName: 'Sandbox CRM',
      scopes: expect.arrayContaining(['crm.read']) as string[],
      authorizeUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//) as string,
    });
    expect(described).not.toHaveProperty('codeVerifier');
    expect(await pages.describeSignIn(browserContext(), state)).toEqual(described);
    expect(
      (await world.db.collection('sign_ins').findOne({ accountId: accountId(ctx) }))?.['bindingHash'],
    ).toBe(null);
  });

  it('of the release before, which stored no scopes, has none', async () => {
    const state = await startCrmSignIn(world, testContext());
    await world.db
      .collection<{ _id: string }>('sign_ins')
      .updateOne({ _id: state }, { $unset: { scopes: '' } });
    expect((await world.instance.pages.describeSignIn(browserContext(), state)).scopes).toEqual([]);
  });

  it('ends with the sign-in', async () => {
    const ctx = testContext();
    const [used, late] = [await signIn(world, ctx), await startCrmSignIn(world, ctx)];
    world.clock.advance(300_000);
    for (const state of [used, late, 'nonsense', ''])
      await expect(world.instance.pages.describeSignIn(browserContext(), state)).rejects.toMatchObject(
        expired,
      );
  });
});

describe('the callback', () => {
  it('redeems once', async () => {
    const ctx = testContext();
    const callback = await authorize(world, await startCrmSignIn(world, ctx));
    const { signIns, pages } = world.instance;
    const results = await Promise.allSettled([
      pages.completeSignIn(browserContext(), callback),
      pages.completeSignIn(browserContext(), callback),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(pages.completeSignIn(browserContext(), callback)).rejects.toMatchObject(expired);
    await expect(pages.bindBrowser(browserContext(), callback.state)).rejects.toMatchObject(expired);
    expect((await signIns.getSignIn(ctx, { state: callback.state })).completed).toBeDefined();
  });

  it('of another browser is refused and leaves the sign-in to the right browser', async () => {
    const ctx = testContext();
    const callback = await authorize(world, await startCrmSignIn(world, ctx));
    const { signIns, pages } = world.instance;
    for (const binding of ['', 'x'.repeat(43)]) {
      const stolen = { ...callback, browserBinding: new Secret(binding) };
      await expect(pages.completeSignIn(browserContext(), stolen)).rejects.toMatchObject(expired);
    }
    await pages.completeSignIn(browserContext(), callback);
    expect((await signIns.getSignIn(ctx, { state: callback.state })).completed).toBeDefined();
  });

  it('of a sign-in that no browser began is refused', async () => {
    const state = await startCrmSignIn(world, testContext());
    const callback = callbackTo(new URL(`${REDIRECT_URI}?code=x`), { state, browserBinding: new Secret('') });
    await expect(world.instance.pages.completeSignIn(browserContext(), callback)).rejects.toMatchObject(
      expired,
    );
  });

  it('after 300 s comes too late', async () => {
    const callback = await authorize(world, await startCrmSignIn(world, testContext()));
    world.clock.advance(300_000);
    await expect(world.instance.pages.completeSignIn(browserContext(), callback)).rejects.toMatchObject(
      expired,
    );
  });

  it("with the person's refusal fails the sign-in, and the poll says so", async () => {
    const ctx = testContext();
    const { signIns, pages } = world.instance;
    const state = await startCrmSignIn(world, ctx);
    const redirect = await pages.bindBrowser(browserContext(), state);
    const browser = new FormBrowser();
    await browser.open(redirect.authorizeUrl);
    await browser.submit('Sign in', { email: testConfig.user.email, password: testConfig.user.password });
    const refused = await browser.submit('Deny');
    const callback = callbackTo(refused.url, { state, ...redirect });
    const failed = { code: 'OAUTH_SIGN_IN_FAILED' };
    await expect(pages.completeSignIn(browserContext(), callback)).rejects.toMatchObject(failed);
    await expect(signIns.getSignIn(ctx, { state })).rejects.toMatchObject(failed);
    await expect(create(world, ctx, bySignIn(state))).rejects.toMatchObject(expired);
  });

  it.each([
    ['a code that the vendor does not know', (query: string) => query.replace(/code=[^&]+/, 'code=forged')],
    ['another issuer', (query: string) => query.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example')],
    ['another issuer of the same host', (query: string) => query.replace(/iss=[^&]+/, '$&2')],
    ['no code', () => ''],
  ])('with %s fails the sign-in', async (_name, change) => {
    const ctx = testContext();
    const callback = await authorize(world, await startCrmSignIn(world, ctx));
    const query = callback.callbackQuery.reveal();
    const changed = { ...callback, callbackQuery: new Secret(change(query)) };
    expect(changed.callbackQuery.reveal()).not.toBe(query);
    const failed = { code: 'OAUTH_SIGN_IN_FAILED' };
    await expect(world.instance.pages.completeSignIn(browserContext(), changed)).rejects.toMatchObject(
      failed,
    );
    await expect(world.instance.signIns.getSignIn(ctx, { state: callback.state })).rejects.toMatchObject(
      failed,
    );
  });
});

describe('starting a sign-in', () => {
  const start = (o: object) =>
    world.instance.signIns.startSignIn(testContext(), {
      applicationSlug: 'sandbox-crm',
      authenticationId: 0,
      ...o,
    });

  it.each([
    [{ applicationSlug: 'nothing' }, 'NOT_FOUND'],
    [{ authenticationId: 1 }, 'VALIDATION_ERROR'],
    [{ authenticationId: 99 }, 'VALIDATION_ERROR'],
    [{ provider: { choice: { case: 'providerId', value: 7 } } }, 'NOT_FOUND'],
    [{ provider: { choice: { case: 'providerName', value: 'mine' } } }, 'NOT_FOUND'],
  ])('%o is %s', async (request, code) => {
    await expect(start(request)).rejects.toMatchObject({ code });
  });

  it('uses the own client when it is requested', async () => {
    expect(await start({ provider: { choice: { case: 'connector', value: true } } })).toMatchObject({
      state: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it('needs an account, and lists the methods that have a client', async () => {
    await expect(
      world.instance.signIns.startSignIn(browserContext(), { applicationSlug: 'sandbox-crm' }),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    const { clients } = await world.instance.signIns.listSignInClients(testContext(), {});
    expect(clients).toMatchObject([{ applicationSlug: 'sandbox-crm', authenticationId: 0 }]);
  });
});

function accountId(ctx: ReturnType<typeof testContext>): string {
  return ctx.caller.kind === 'user' ? ctx.caller.accountId : '';
}
