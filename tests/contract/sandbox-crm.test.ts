import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { expectError, expectList, get, post, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { exchange } from './support/recorder.ts';
import { row } from './support/row.ts';
import { authorizedState, continueToVendor, startCrmSignIn, Visitor } from './support/sign-in.ts';

const seeded = inject('stack');
const crm = stack.sandboxCrm;

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** Requests tokens at the vendor as the second client. */
async function askForTokens(form: Readonly<Record<string, string>>): Promise<any> {
  const pair = `${crm.oauthClientId}:${crm.oauthClientSecret}`;
  const answer = await exchange(new URL('/oauth/token', crm.url), {
    method: 'POST',
    headers: new Headers({
      authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    }),
    body: new URLSearchParams(form).toString(),
  });
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text);
}

describe('the bundled vendor', () => {
  row(
    ['completion.sandbox-crm.1', 'completion.npm-start.9'],
    'is a server of its own, with its API, its admin page, and a second OAuth client for auth providers',
    async () => {
      expect(new URL(crm.url).origin).not.toBe(new URL(stack.baseUrl).origin);
      const page = await exchange(new URL('/admin', crm.url), { method: 'GET', headers: new Headers() });
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('html')]);
      const headers = new Headers({ 'x-api-token': crm.apiKey });
      const whoami = await exchange(new URL('/api/whoami', crm.url), { method: 'GET', headers });
      expect(JSON.parse(whoami.text)).toMatchObject({ authentication: 'apiToken' });
      const { access_token } = await askForTokens({ grant_type: 'client_credentials' });
      expect(access_token).toMatch(/./);
    },
  );

  row(
    [
      'completion.sandbox-crm.2',
      'completion.sandbox-crm.5',
      'completion.sandbox-crm.7',
      'completion.sandbox-crm.8',
    ],
    'is connected by a sign-in, an API key (the default) or client credentials',
    async () => {
      const { authenticationMethods } = (await get('/v1/applications/sandbox-crm', account)).body;
      const slots = { clientId: 'Key1', clientSecret: 'Key2' };
      expect(
        authenticationMethods.map((method: any) => [
          method.authenticationId,
          method.authenticationName,
          method.requiresOAuthSignIn,
          method.isDefault,
          Object.fromEntries(
            method.fields
              .filter(({ providerSlot }: any) => providerSlot !== null)
              .map(({ name, providerSlot }: any) => [name, providerSlot]),
          ),
        ]),
      ).toEqual([
        [0, 'OAuth 2.0', true, false, slots],
        [1, 'API key', false, true, {}],
        [2, 'OAuth client credentials', false, false, slots],
      ]);
      expect(authenticationMethods[1].fields).toMatchObject([{ name: 'apiToken', isPassword: true }]);
      const visitor = new Visitor();
      const atVendor = await continueToVendor(visitor, (await startCrmSignIn(account.apiKey)).signInUrl);
      expect(atVendor.url.origin).toBe(new URL(crm.url).origin);
    },
  );

  row(
    ['completion.sandbox-crm.2', 'completion.sandbox-crm.3', 'completion.sandbox-crm.4'],
    'signs people in on pages that work without scripts, needs PKCE’s verifier, and rotates refresh tokens',
    async () => {
      const codeVerifier = randomBytes(32).toString('base64url');
      const redirectUri = `${stack.baseUrl}/connect/callback`;
      const address = new URL('/oauth/auth', crm.url);
      address.search = new URLSearchParams({
        response_type: 'code',
        client_id: crm.oauthClientId,
        redirect_uri: redirectUri,
        scope: 'crm.read offline_access',
        prompt: 'consent',
        state: 'state-of-the-test',
        code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString();
      const isBack = (url: URL): boolean => url.href.startsWith(redirectUri);
      const visitor = new Visitor();
      const signIn = await visitor.open(address.href);
      expect(signIn.html).toContain('type="password"');
      expect(signIn.html).not.toContain('<script');
      const consent = await visitor.submit(signIn, {
        email: crm.user,
        text: crm.user,
        password: crm.password,
      });
      expect(consent.html).not.toContain('<script');
      const { url } = await visitor.submit(consent, {}, /allow/i, isBack);
      const tokens = await askForTokens({
        grant_type: 'authorization_code',
        code: url.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      });
      const renewed = await askForTokens({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      });
      expect(renewed.refresh_token).toMatch(/./);
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    },
  );

  row(
    ['completion.sandbox-crm.6', 'completion.sandbox-crm.12'],
    'lists workspaces after a sign-in, and says whose a credential is',
    async () => {
      const state = await authorizedState(account.apiKey);
      const { fieldOptions } = (await get(`/v1/connections/access-token/${state}`, account)).body;
      const [workspace] = Object.keys(fieldOptions.workspace);
      const method = { applicationSlug: 'sandbox-crm', connectionName: 'CRM' };
      const connections = [
        { ...method, authenticationId: 0, oauthState: state },
        { ...method, authenticationId: 1, fields: { apiToken: crm.apiKey } },
        { ...method, authenticationId: 2 },
      ];
      const seen = [];
      for (const connection of connections) {
        const { id } = expectStatus(await post('/v1/connections', connection, account), 201).body;
        const path = `/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`;
        seen.push((await post(path, {}, account)).body.output);
      }
      expect(seen).toMatchObject([
        { authentication: 'oauth', email: crm.user, workspace: { id: workspace } },
        { authentication: 'apiToken' },
        { authentication: 'clientCredentials', user: null },
      ]);
    },
  );

  row(
    ['completion.sandbox-crm.15', 'completion.sandbox-crm.16', 'completion.sandbox-crm.17'],
    'has contacts, deals and invoices with these members',
    async () => {
      const { id } = await createCrmConnection('Records', account.apiKey);
      const create = async (what: string, fields: object): Promise<any> =>
        (await post(`/v1/tools/sandbox-crm-create-${what}/execute?connectionId=${id}`, { fields }, account))
          .body.output;
      const contact = await create('contact', {
        name: 'Ada',
        email: 'ada@records.example',
        company: 'A',
        phone: '1',
      });
      expect(contact).toMatchObject({
        id: expect.any(String),
        name: 'Ada',
        email: 'ada@records.example',
        company: 'A',
        phone: '1',
        createdAt: expect.stringMatching(/Z$/),
      });
      const contactId = contact.id;
      const deal = { title: 'Big', amount: 12.5, currency: 'EUR', stage: 'lead', contactId };
      expect(await create('deal', deal)).toMatchObject({ id: expect.any(String), ...deal });
      const invoice = { contactId, amount: 7, currency: 'EUR', status: 'draft' };
      expect(await create('invoice', invoice)).toMatchObject({ id: expect.any(String), ...invoice });
    },
  );

  row('completion.sandbox-crm.13', 'fails as it is asked to, with a status from 400 to 599', async () => {
    const { id } = await createCrmConnection('Failing', account.apiKey);
    const fail = (fields: object) =>
      post(`/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${id}`, { fields }, account);
    for (const status of [400, 422, 599]) {
      const { body } = await fail({ status, delayMs: 1, message: `Failure ${status}` });
      expect(body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining(`Failure ${status}`),
      });
    }
    for (const status of [399, 600])
      expectError(await fail({ status }), 400, 'VALIDATION_ERROR', ['fields.status']);
  });
});

describe('what npm start provides', () => {
  row(
    ['completion.npm-start.7', 'completion.npm-start.8'],
    'two seeded accounts, whose keys and passwords are their owners’',
    async () => {
      const whoami = [];
      for (const { accountId, apiKey, ownerEmail } of [seeded.account, seeded.otherAccount]) {
        const { body } = await get('/v1/auth/whoami', { apiKey });
        expect(body).toMatchObject({ accountId, userEmail: ownerEmail, roles: ['owner'] });
        whoami.push(body.accountId);
      }
      expect(new Set(whoami).size).toBe(2);
      expect(seeded.account.ownerPassword).not.toBe(seeded.otherAccount.ownerPassword);
    },
  );

  test('[completion.npm-start.6] an HTTP/1.1 and a gRPC address of each service', async () => {
    expect(Object.keys(seeded.grpc)).toEqual(Object.keys(seeded.services));
    for (const [name, address] of Object.entries(seeded.services)) {
      const health = await fetch(`${address}/grpc.health.v1.Health/Check`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(await health.text(), name).toContain('"SERVING"');
      expect(seeded.grpc[name]).not.toBe(address);
    }
  });

  row(
    ['completion.npm-start.10', 'completion.npm-start.11'],
    'samples on this machine, which the development profile lets connections reach',
    async () => {
      const mcp = await post(
        '/v1/connections',
        {
          applicationSlug: 'mcp',
          connectionName: 'Sample',
          authenticationId: 0,
          fields: { serverUrl: seeded.samples.mcpServerUrl },
        },
        account,
      );
      expectStatus(mcp, 201);
      for (const address of [seeded.samples.mcpServerUrl, seeded.samples.postgresUrl, crm.url])
        expect(new URL(address).hostname).toBe('127.0.0.1');
    },
  );
});

describe('/admin/v1', () => {
  row(
    ['completion.administration.2', 'completion.administration.3'],
    'has the envelopes and list rules of the API, and its own tags in the document',
    async () => {
      const { paths } = (await get('/openapi.json', { apiKey: null })).body;
      const tagsOf = (isAdmin: boolean): Set<string> =>
        new Set(
          Object.entries<any>(paths)
            .filter(([path]) => path.startsWith('/admin/v1') === isAdmin)
            .flatMap(([, operations]) => Object.values<any>(operations).flatMap(({ tags }) => tags)),
        );
      const [own, others] = [tagsOf(true), tagsOf(false)];
      expect(own.size).toBeGreaterThan(0);
      expect([...own].filter((tag) => others.has(tag))).toEqual([]);
      for (const path of [
        '/admin/v1/users',
        '/admin/v1/api-keys',
        '/admin/v1/connections',
        '/admin/v1/audit',
      ]) {
        expect(expectList(await get(path, account)).offset, path).toBe(0);
        expectError(await get(`${path}?top=0&offset=x`, account), 400, 'VALIDATION_ERROR', ['offset', 'top']);
      }
      expectError(await get('/admin/v1/users/nobody', account), 405, 'METHOD_NOT_ALLOWED');
      expectError(await post('/admin/v1/users', { role: 'king' }, account), 400, 'VALIDATION_ERROR');
    },
  );
});
