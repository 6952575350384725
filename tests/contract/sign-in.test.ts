import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { asOther, del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { exchange } from './support/recorder.ts';
import type { Reply } from './support/recorder.ts';
import { row } from './support/row.ts';
import { authorize, authorizedState, continueToVendor, startCrmSignIn, Visitor } from './support/sign-in.ts';

const oauth = {
  applicationSlug: 'sandbox-crm',
  connectionName: 'By sign-in',
  authenticationId: 0,
  fields: {},
};
const poll = (state: string, options = {}): ReturnType<typeof get> =>
  get(`/v1/connections/access-token/${state}`, options);

/** Opens an address without following redirects; a POST sends a form without our token. */
function visit(address: string, method = 'GET', more: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const headers = new Headers(more);
  if (method !== 'POST') return exchange(new URL(address), { method, headers });
  headers.set('content-type', 'application/x-www-form-urlencoded');
  return exchange(new URL(address), { method, headers, body: 'form_token=x' });
}

afterEach(async () => {
  const { items } = expectList(await get('/admin/v1/connections'));
  for (const { id } of items) await del(`/v1/connections/${id}`);
});

describe('OAuth sign-in', () => {
  row(
    [
      'connections-and-sign-in.6',
      'connections-and-sign-in.7',
      'connections-and-sign-in.10',
      'sign-in-and-access-token-poll.1',
      'sign-in-and-access-token-poll.2',
      'sign-in-and-access-token-poll.3',
      'oauth-sign-in-state.1',
      'oauth-sign-in-state.2',
      'oauth-sign-in-state.3',
      'connection.5',
      'versioning.10',
      'completion.connections.12',
      'completion.connections.14',
      'completion.connections.2',
      'completion.connections.4',
      'completion.connections.26',
      'completion.everywhere.5',
    ],
    'sign-in address, null while pending, completed with field options, then a connection that works',
    async () => {
      const { signInUrl, state } = await startCrmSignIn();
      expect(state).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      const pending = await poll(state);
      expect([pending.status, pending.text]).toEqual([200, 'null']);
      const last = await authorize(signInUrl);
      expect(last.status, last.html).toBe(200);
      const completed = await poll(state);
      expect(completed.body).toMatchObject({
        status: 'completed',
        connectionData: {
          applicationSlug: 'sandbox-crm',
          authenticationId: 0,
          authProviderId: 0,
          suggestedName: expect.stringMatching(/./),
          grantedScopes: expect.arrayContaining(['crm.read']),
        },
        fieldOptions: { workspace: expect.any(Object) },
      });
      expect(Object.keys(completed.body.fieldOptions.workspace).length).toBeGreaterThan(0);
      expect(completed.text).not.toMatch(/access_token|refresh_token|eyJ/i);
      const made = await post('/v1/connections', { ...oauth, oauthState: state });
      expect(made.status, made.text).toBe(201);
      expect(made.body).toMatchObject({
        authenticationId: 0,
        authenticationName: 'OAuth 2.0',
        status: 'Active',
        grantedScopes: completed.body.connectionData.grantedScopes,
      });
      expect(made.body.fields.workspace).toBe(Object.keys(completed.body.fieldOptions.workspace)[0]);
      expect((await post(`/v1/connections/${made.body.id}/test`)).body).toMatchObject({ isSuccess: true });
    },
  );

  row(
    [
      'sign-in-and-access-token-poll.3',
      'completion.connections.25',
      'completion.connections.27',
      'completion.connections.28',
    ],
    'the chosen field option is saved, another value is refused',
    async () => {
      const state = await authorizedState();
      const options = Object.keys((await poll(state)).body.fieldOptions.workspace);
      const last = options.at(-1);
      const bad = await post('/v1/connections', {
        ...oauth,
        oauthState: state,
        fields: { workspace: 'no-such' },
      });
      expectError(bad, 400, 'VALIDATION_ERROR', ['fields.workspace']);
      const fields = { workspace: last, clientId: 'ignored', ApiKey: 'ignored', RefreshToken: 'ignored' };
      const made = await post('/v1/connections', { ...oauth, oauthState: state, fields });
      expect(made.status, made.text).toBe(201);
      expect(made.body.fields).toEqual({ workspace: last });
      const other = await authorizedState();
      const refused = await post('/v1/connections', {
        ...oauth,
        oauthState: other,
        fields: { ExternalOrgId: 'x' },
      });
      expectError(refused, 400, 'INVALID_FIELD');
    },
  );

  row(
    ['errors.17', 'versioning.6', 'connections-and-sign-in.12', 'completion.connections.16'],
    'a missing or empty state is OAUTH_STATE_REQUIRED',
    async () => {
      for (const oauthState of [undefined, null, '']) {
        expectError(await post('/v1/connections', { ...oauth, oauthState }), 400, 'OAUTH_STATE_REQUIRED');
      }
    },
  );

  row(
    [
      'errors.18',
      'oauth-sign-in-state.4',
      'connections-and-sign-in.12',
      'completion.connections.8',
      'completion.connections.9',
      'completion.connections.10',
      'completion.connections.15',
    ],
    'an unknown, ill-formed, pending, used or foreign state is OAUTH_STATE_EXPIRED and stays as it is',
    async () => {
      const { state: pending } = await startCrmSignIn();
      const foreign = await authorizedState(stack.otherAccount.apiKey);
      const used = await authorizedState();
      expect((await post('/v1/connections', { ...oauth, oauthState: used })).status).toBe(201);
      for (const oauthState of [randomUUID(), 'nonsense', pending, used, foreign]) {
        expectError(await post('/v1/connections', { ...oauth, oauthState }), 400, 'OAUTH_STATE_EXPIRED');
      }
      for (const state of [randomUUID(), 'nonsense', used, foreign]) {
        expectError(await poll(state), 400, 'OAUTH_STATE_EXPIRED');
      }
      expect((await poll(pending)).text).toBe('null');
      expect((await poll(foreign, asOther)).body).toMatchObject({ status: 'completed' });
    },
  );

  row(
    ['oauth-sign-in-state.3', 'completion.connections.14'],
    'a state makes one connection, however often it is sent at once',
    async () => {
      const state = await authorizedState();
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => post('/v1/connections', { ...oauth, oauthState: state })),
      );
      expect(answers.filter((it) => it.status === 201).length).toBe(1);
      for (const it of answers.filter((it) => it.status !== 201)) expectError(it, 400, 'OAUTH_STATE_EXPIRED');
      expect(expectList(await get('/v1/connections')).totalCount).toBe(1);
    },
  );

  row('oauth-sign-in-state.4', 'a refused creation does not use up its state', async () => {
    const state = await authorizedState();
    const wrong = { ...oauth, applicationSlug: 'sandbox-crm', connectionName: '', oauthState: state };
    expectError(await post('/v1/connections', wrong), 400, 'VALIDATION_ERROR', ['connectionName']);
    expect((await post('/v1/connections', { ...oauth, oauthState: state })).status).toBe(201);
  });

  row(
    ['oauth-sign-in-state.2', 'completion.connections.11'],
    'the vendor’s refusal is OAUTH_SIGN_IN_FAILED at the poll',
    async () => {
      const { signInUrl, state } = await startCrmSignIn();
      const last = await authorize(signInUrl, 'deny');
      expect(last.html).not.toContain('<script>');
      expectError(await poll(state), 400, 'OAUTH_SIGN_IN_FAILED');
      expectError(await post('/v1/connections', { ...oauth, oauthState: state }), 400, 'OAUTH_STATE_EXPIRED');
    },
  );

  row(
    ['oauth-sign-in-state.2', 'completion.connections.11'],
    'a person who cancels at our page refuses: OAUTH_SIGN_IN_FAILED at the poll, and the vendor is never reached',
    async () => {
      const { signInUrl, state } = await startCrmSignIn();
      const visitor = new Visitor();
      const last = await visitor.submit(await visitor.open(signInUrl), {}, /cancel/i);
      expect([last.status, last.url.origin]).toEqual([200, stack.baseUrl]);
      expect(last.html).toContain('Nothing was connected');
      expectError(await poll(state), 400, 'OAUTH_SIGN_IN_FAILED');
      expectError(await post('/v1/connections', { ...oauth, oauthState: state }), 400, 'OAUTH_STATE_EXPIRED');
      expect((await visitor.open(signInUrl)).status).toBe(400);
    },
  );

  test('the browser leaves the vendor’s code behind at once, and the page that follows can be loaded again', async () => {
    for (const [decision, status] of [
      ['allow', 200],
      ['deny', 400],
    ] as const) {
      const { signInUrl, state } = await startCrmSignIn();
      const visitor = new Visitor();
      const { url, ...last } = await authorize(signInUrl, decision, visitor);
      expect([url.pathname, url.search, last.status]).toEqual([
        expect.stringMatching(/^\/connect\/outcome\/\w+$/),
        '',
        status,
      ]);
      expect(url.href).not.toContain(state);
      expect(await visitor.open(url.href)).toMatchObject(last);
    }
  });

  row('oauth-sign-in-state.2', 'only the browser that began a sign-in completes it', async () => {
    const { signInUrl, state } = await startCrmSignIn();
    const begun = new Visitor();
    const page = await continueToVendor(begun, signInUrl);
    const { user, password } = stack.sandboxCrm;
    const consent = await begun.submit(page, { email: user, text: user, password });
    expect(consent.status).toBe(200);
    const stranger = new Visitor();
    const forged = await stranger.open(`${stack.baseUrl}/connect/callback?state=${state}&code=stolen`);
    expect(forged.status).toBeGreaterThanOrEqual(400);
    expect((await poll(state)).text).toBe('null');
  });

  row(
    ['connections-and-sign-in.13', 'connections-and-sign-in.4', 'completion.connections.40'],
    're-authentication follows the same state rule and keeps the id',
    async () => {
      const state = await authorizedState();
      const { body: made } = await post('/v1/connections', { ...oauth, oauthState: state });
      const again = await authorizedState();
      const renewed = await put(`/v1/connections/${made.id}`, {
        connectionName: 'Renewed',
        oauthState: again,
      });
      expect(renewed.status, renewed.text).toBe(200);
      expect(renewed.body).toMatchObject({ id: made.id, connectionName: 'Renewed', status: 'Active' });
      const reused = await put(`/v1/connections/${made.id}`, {
        connectionName: 'Renewed',
        oauthState: again,
      });
      expectError(reused, 400, 'OAUTH_STATE_EXPIRED');
      for (const oauthState of ['', null]) {
        const missing = await put(`/v1/connections/${made.id}`, { connectionName: 'Missing', oauthState });
        expectError(missing, 400, 'OAUTH_STATE_REQUIRED');
      }
      const byKey = await createCrmConnection();
      const third = await authorizedState();
      const misfit = await put(`/v1/connections/${byKey.id}`, { connectionName: 'x', oauthState: third });
      expectError(misfit, 400, 'VALIDATION_ERROR', ['oauthState']);
    },
  );

  row(
    'connections-and-sign-in.8',
    'the OAuth client is chosen by authProviderId or authProvider: omitted, the connector’s own, or a provider',
    async () => {
      const path = '/v1/connections/get-sign-in-url';
      const body = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
      for (const choice of [{}, { authProviderId: 0 }, { authProvider: 'none' }]) {
        expect((await post(path, { ...body, ...choice })).status).toBe(200);
      }
      expectError(await post(path, { ...body, authProviderId: 41 }), 404, 'NOT_FOUND');
      expectError(await post(path, { ...body, authProvider: 'ours' }), 404, 'NOT_FOUND');
      for (const authProviderId of [null, -1, '0', 1.5]) {
        expectError(await post(path, { ...body, authProviderId }), 400, 'VALIDATION_ERROR', [
          'authProviderId',
        ]);
      }
      const both = await post(path, { ...body, authProviderId: 0, authProvider: 'none' });
      expectError(both, 400, 'VALIDATION_ERROR');
    },
  );

  row(
    ['connections-and-sign-in.6', 'completion.connections.17', 'completion.connections.18'],
    'a method without sign-in, an unknown method or application is refused',
    async () => {
      const path = '/v1/connections/get-sign-in-url';
      for (const authenticationId of [1, 2, 99]) {
        const answer = await post(path, { applicationSlug: 'sandbox-crm', authenticationId });
        expectError(answer, 400, 'VALIDATION_ERROR', ['authenticationId']);
      }
      expectError(await post(path, { applicationSlug: 'no-such', authenticationId: 0 }), 404, 'NOT_FOUND');
      expectError(await post(path, {}), 400, 'VALIDATION_ERROR', ['applicationSlug', 'authenticationId']);
    },
  );

  row(
    ['connections-and-sign-in.6', 'completion.connections.22'],
    'the sign-in address shows which account and user ask, for which application, with which scopes',
    async () => {
      const { accountName, userName } = (await get('/v1/auth/whoami')).body;
      const { signInUrl } = await startCrmSignIn();
      const reply = await visit(signInUrl);
      expect(reply.status).toBe(200);
      for (const shown of [
        accountName,
        userName,
        'Sandbox CRM',
        'crm.read',
        'See contacts, deals and invoices',
      ])
        expect(reply.text).toContain(shown);
      expect(reply.text).not.toMatch(/<script|<img/);
      const policy = reply.headers.get('content-security-policy') ?? '';
      for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"])
        expect(policy).toContain(directive);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=utf-8',
      });
    },
  );

  row(
    ['oauth-sign-in-state.1', 'completion.connections.23'],
    'opening the page, checking or prefetching it changes nothing; only its own form leads to the vendor',
    async () => {
      const { signInUrl, state } = await startCrmSignIn();
      for (const method of ['GET', 'HEAD', 'GET']) {
        const reply = await visit(signInUrl, method);
        expect([reply.status, reply.headers.get('location')]).toEqual([200, null]);
      }
      const forged: Record<string, string>[] = [
        {},
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
      ];
      for (const headers of forged) {
        const reply = await visit(signInUrl, 'POST', headers);
        expect([reply.status, reply.headers.get('location')]).toEqual([403, null]);
      }
      const visitor = new Visitor();
      const page = await visitor.open(signInUrl);
      let leadsTo: URL | undefined;
      await visitor.submit(page, {}, /continue/i, (url) => {
        if (url.origin !== stack.baseUrl) leadsTo = url;
        return leadsTo !== undefined;
      });
      expect(leadsTo?.origin).toBe(new URL(stack.sandboxCrm.url).origin);
      expect(leadsTo?.searchParams.get('state')).toBe(state);
      expect((await poll(state)).text).toBe('null');
      expect((await authorize(signInUrl)).status).toBe(200);
      expect((await poll(state)).body).toMatchObject({ status: 'completed' });
      const used = await visit(signInUrl);
      expect([used.status, used.text.includes('<form')]).toEqual([400, false]);
    },
  );

  row(
    'oauth-sign-in-state.2',
    'the vendor’s address, passed on to another browser, connects nobody',
    async () => {
      const { signInUrl, state } = await startCrmSignIn();
      const sender = new Visitor();
      let vendor: URL | undefined;
      await sender.submit(await sender.open(signInUrl), {}, /continue/i, (url) => {
        if (url.origin !== stack.baseUrl) vendor = url;
        return vendor !== undefined;
      });
      const victim = new Visitor();
      const { user, password } = stack.sandboxCrm;
      const signIn = await victim.open(String(vendor));
      const consent = await victim.submit(signIn, { email: user, text: user, password });
      const last = await victim.submit(consent, {}, /allow|continue|authori[sz]e/i);
      expect(last.status).toBe(400);
      expect((await poll(state)).text).toBe('null');
    },
  );

  row(
    'oauth-sign-in-state.4',
    'a sign-in page of an unknown state is an error page that asks to start again',
    async () => {
      const page = await new Visitor().open(`${stack.baseUrl}/connect/start/${randomUUID()}`);
      expect(page.status).toBeGreaterThanOrEqual(400);
      expect(page.html).toMatch(/expired|again/i);
    },
  );
});
