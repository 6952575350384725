import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { row } from './support/row.ts';
import { authorize, startCrmSignIn } from './support/sign-in.ts';

const providers = '/v1/auth-providers';
const byApiUser = { applicationSlug: 'http', authenticationId: 5 };
const hosted = { applicationSlug: 'hosted-crm', authenticationId: 0 };
const API_PASSWORD = 'pa55word-of-the-api-user';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** A vendor that needs an API user beside the client, as Akeneo and ServiceNow do. */
async function startVendor() {
  const tokenRequests: { authorization: string | undefined; form: Record<string, string> }[] = [];
  const calls: { path: string | undefined; authorization: string | undefined }[] = [];
  const answer = async (request: IncomingMessage): Promise<[status: number, body: object]> => {
    const { url: path, headers } = request;
    const { authorization } = headers;
    if (path !== '/token') {
      calls.push({ path, authorization });
      return authorization === 'Bearer granted-to-the-api-user' ? [200, { ok: true }] : [401, {}];
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    tokenRequests.push({ authorization, form });
    return form['password'] === API_PASSWORD
      ? [200, { access_token: 'granted-to-the-api-user', token_type: 'Bearer', expires_in: 3600 }]
      : [400, { error: 'invalid_grant', error_description: 'Wrong user or password' }];
  };
  const server: Server = createServer((request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this kind.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, tokenRequests, calls, close };
}

describe('an auth provider with an API user', () => {
  let vendor: Awaited<ReturnType<typeof startVendor>>;
  beforeAll(async () => {
    vendor = await startVendor();
  });
  afterAll(() => vendor.close());

  const values = () => ({
    BaseUrl: `${vendor.url}/api`,
    Key1: 'client-of-the-account',
    Key2: 'client-s3cret-of-the-account',
    Key3: `${vendor.url}/token`,
    ApiUser: 'integration',
  });

  row(
    ['auth-provider.1', 'auth-provider.3', 'auth-provider.4', 'limits.20', 'completion.auth-providers.3'],
    'the sources list ApiUser and ApiPassword beside the keys, and no slot of another name',
    async () => {
      const { items } = expectList(await get(`${providers}/sources`, account));
      const http = items.find(({ applicationSlug }) => applicationSlug === 'http');
      const method = http?.methods.find(
        ({ authenticationId }: { authenticationId: number }) => authenticationId === 5,
      );
      expect(method?.slots).toEqual([
        { slot: 'BaseUrl', label: 'Base URL', isSecret: false, isRequired: true },
        { slot: 'Key1', label: 'Client id', isSecret: false, isRequired: true },
        { slot: 'Key2', label: 'Client secret', isSecret: true, isRequired: true },
        { slot: 'Key3', label: 'Token URL', isSecret: false, isRequired: true },
        { slot: 'ApiUser', label: 'API user', isSecret: false, isRequired: true },
        { slot: 'ApiPassword', label: 'API password', isSecret: true, isRequired: true },
      ]);
      for (const { methods } of items) {
        for (const { slots } of methods)
          for (const { slot } of slots)
            expect(slot).toMatch(/^(?:Key(?:[1-9]|10)|ApiUser|ApiPassword|BaseUrl)$/);
      }
      const given = { ...values(), ApiPassword: API_PASSWORD };
      for (const unknown of ['Key11', 'Key0', 'apiUser', 'ApiKey']) {
        const body = { name: unknown, ...byApiUser, values: { ...given, [unknown]: 'x' } };
        expectError(await post(providers, body, account), 400, 'INVALID_AUTH_PROVIDER');
      }
      for (const missing of ['ApiUser', 'ApiPassword', 'BaseUrl']) {
        const body = { name: missing, ...byApiUser, values: { ...given, [missing]: '' } };
        expectError(await post(providers, body, account), 400, 'INVALID_AUTH_PROVIDER', [
          `values.${missing}`,
        ]);
      }
    },
  );

  row(
    [
      'auth-provider.3',
      'auth-provider.4',
      'auth-provider.5',
      'auth-provider.8',
      'auth-provider.9',
      'completion.auth-providers.9',
      'completion.connections.63',
    ],
    'sends both with the client, shows the user and never the password, and a corrected password heals its connections',
    async () => {
      const wrong = { ...values(), ApiPassword: 'not-the-pa55word' };
      const made = await post(providers, { name: 'Shop', ...byApiUser, values: wrong }, account);
      const { id } = expectStatus(made, 201).body;
      expect(made.body.values).toMatchObject([
        { slot: 'BaseUrl', value: wrong.BaseUrl },
        { slot: 'Key1', value: 'client-of-the-account' },
        { slot: 'Key2', isSecret: true, hasValue: true, value: null },
        { slot: 'Key3', value: wrong.Key3 },
        { slot: 'ApiUser', isSecret: false, hasValue: true, value: 'integration' },
        { slot: 'ApiPassword', isSecret: true, hasValue: true, value: null },
      ]);
      expect(made.text).not.toContain('not-the-pa55word');

      const body = { ...byApiUser, connectionName: 'Shop', fields: {} };
      const connected = await post(`/v1/connections?authProviderId=${id}`, body, account);
      const { body: connection } = expectStatus(connected, 201);
      expect(connection).toMatchObject({ authProviderId: id, fields: {}, secretFields: [] });
      const test = async () => (await post(`/v1/connections/${connection.id}/test`, undefined, account)).body;
      expect(await test()).toMatchObject({ isSuccess: false });
      const refused = await get(`${providers}/${id}`, account);
      expect(refused.body.lastError).toContain('Wrong user or password');
      expect((await get(`/v1/connections/${connection.id}`, account)).body.status).toBe('Active');

      const changed = await patch(`${providers}/${id}`, { values: { ApiPassword: API_PASSWORD } }, account);
      expect(changed.body).toMatchObject({ lastError: null, values: made.body.values });
      expect(await test()).toEqual({ isSuccess: true, errorMessage: null });
      expect(vendor.tokenRequests.at(-1)).toEqual({
        authorization: `Basic ${Buffer.from('client-of-the-account:client-s3cret-of-the-account').toString('base64')}`,
        form: { grant_type: 'password', username: 'integration', password: API_PASSWORD },
      });
      const executed = await post(
        `/v1/tools/http-send-request/execute?connectionId=${connection.id}`,
        { fields: { url: 'orders' } },
        account,
      );
      expect(executed.body).toMatchObject({ isSuccess: true, output: { status: 200, body: { ok: true } } });
      expect(vendor.calls.at(-1)).toEqual({
        path: '/api/orders',
        authorization: 'Bearer granted-to-the-api-user',
      });
    },
  );

  row(
    ['completion.auth-providers.30', 'completion.auth-providers.9'],
    'keeps its secrets at their address: another one needs each of them again, and is refused whole without',
    async () => {
      const given = { ...values(), ApiPassword: API_PASSWORD };
      const made = await post(providers, { name: 'Kept', ...byApiUser, values: given }, account);
      const { id } = expectStatus(made, 201).body;
      const one = `${providers}/${id}`;
      const change = (sent: Record<string, string>) => patch(one, { name: 'Moved', values: sent }, account);
      const thief = await startVendor();
      const moves = [{ BaseUrl: thief.url }, { Key3: `${thief.url}/token` }, { BaseUrl: '' }, { Key3: '' }];
      for (const moved of moves) {
        const both = ['values.Key2', 'values.ApiPassword'];
        expectError(await change(moved), 400, 'INVALID_AUTH_PROVIDER', both);
        const half = { ...moved, Key2: 'client-of-the-thief' };
        expectError(await change(half), 400, 'INVALID_AUTH_PROVIDER', ['values.ApiPassword']);
      }
      expect((await get(one, account)).body).toEqual(made.body);
      // The user's name is not secret, and an unchanged address is not a change.
      const same = { BaseUrl: given.BaseUrl, Key3: given.Key3, ApiUser: 'other' };
      expectStatus(await change(same), 200);
      const again = { Key3: `${thief.url}/token`, Key2: 'client-of-the-thief', ApiPassword: '' };
      expect(expectStatus(await change(again), 200).body.values).toMatchObject([
        { slot: 'BaseUrl', value: given.BaseUrl },
        { slot: 'Key1' },
        { slot: 'Key2', hasValue: true },
        { slot: 'Key3', value: again.Key3 },
        { slot: 'ApiUser', value: 'other' },
        { slot: 'ApiPassword', hasValue: false },
      ]);
      thief.close();
    },
  );

  row(
    'completion.auth-providers.29',
    'without one, and without a client of the connector, the method’s fields are required',
    async () => {
      const body = { ...byApiUser, connectionName: 'Own fields', fields: {} };
      for (const query of ['', '?authProviderId=0', '?authProvider=none']) {
        const names = ['baseUrl', 'clientId', 'clientSecret', 'tokenUrl', 'apiUser', 'apiPassword'];
        const fields = names.map((name) => `fields.${name}`);
        expectError(await post(`/v1/connections${query}`, body, account), 400, 'VALIDATION_ERROR', fields);
      }
      const fields = {
        baseUrl: `${vendor.url}/api`,
        clientId: 'client-of-the-connection',
        clientSecret: 'client-s3cret-of-the-connection',
        tokenUrl: `${vendor.url}/token`,
        apiUser: 'integration',
        apiPassword: API_PASSWORD,
      };
      const made = await post('/v1/connections?authProviderId=0', { ...body, fields }, account);
      expect(expectStatus(made, 201).body).toMatchObject({
        authProviderId: null,
        secretFields: ['clientSecret', 'apiPassword'],
      });
      const tested = await post(`/v1/connections/${made.body.id}/test`, undefined, account);
      expect(tested.body).toEqual({ isSuccess: true, errorMessage: null });
    },
  );
});

describe('an application with a sign-in only', () => {
  const available = async (who: { readonly apiKey: string }): Promise<boolean> => {
    const [detail, yes, no] = await Promise.all(
      [
        '/v1/applications/hosted-crm',
        '/v1/applications?available=true',
        '/v1/applications?available=false',
      ].map((path) => get(path, who)),
    );
    const has = (list: typeof yes) =>
      list?.body.items.some(({ slug }: { slug: string }) => slug === 'hosted-crm');
    expect([has(yes), has(no)]).toEqual([detail?.body.isAvailable, !detail?.body.isAvailable]);
    return detail?.body.isAvailable;
  };

  row(
    ['completion.applications-and-tools.4', 'completion.applications-and-tools.5', 'auth-provider.5'],
    'is available while an auth provider holds the address that the connector’s own client lacks, and the caller may use it',
    async () => {
      expect(await available(account)).toBe(false);
      expectError(
        await post('/v1/connections/get-sign-in-url', hosted, account),
        400,
        'INVALID_AUTH_PROVIDER',
      );
      const { url, oauthClientId: Key1, oauthClientSecret: Key2 } = stack.sandboxCrm;
      const values = { BaseUrl: url, Key1, Key2 };
      const { id } = expectStatus(
        await post(providers, { name: 'Hosted', ...hosted, values, isDefault: true }, account),
        201,
      ).body;
      expect(await available(account)).toBe(true);
      const { signInUrl, state } = await startCrmSignIn(account.apiKey, hosted);
      expect((await authorize(signInUrl)).status).toBe(200);
      const body = { ...hosted, connectionName: 'Hosted', oauthState: state };
      const connection = expectStatus(await post('/v1/connections', body, account), 201).body;
      expect(connection.authProviderId).toBe(id);
      const execute = `/v1/tools/hosted-crm-whoami/execute?connectionId=${connection.id}`;
      expect((await post(execute, {}, account)).body).toMatchObject({ isSuccess: true });
      expectStatus(await patch(`${providers}/${id}`, { isEnabled: false }, account), 200);
      expect(await available(account)).toBe(false);
      expectStatus(await patch(`${providers}/${id}`, { isEnabled: true }, account), 200);
      expect(await available(account)).toBe(true);
      // A required slot was cleared since: signing in is INVALID_AUTH_PROVIDER, so nothing can be connected.
      expectStatus(await patch(`${providers}/${id}`, { values: { BaseUrl: '', Key2 } }, account), 200);
      expect(await available(account)).toBe(false);
      expectError(
        await post('/v1/connections/get-sign-in-url', hosted, account),
        400,
        'INVALID_AUTH_PROVIDER',
      );
      expectStatus(await patch(`${providers}/${id}`, { values: { BaseUrl: url, Key2 } }, account), 200);
      expect(await available(account)).toBe(true);
      const other = await createAccount();
      expect(await available(other)).toBe(false);
      await removeAccount(other);
      expect(await available(await createUser(account, { role: 'member' }))).toBe(true);
    },
  );
});
