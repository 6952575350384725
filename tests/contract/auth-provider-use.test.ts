import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { del, expectError, get, patch, post, put, stack } from './support/api.ts';
import { row } from './support/row.ts';
import { authorize, startCrmSignIn } from './support/sign-in.ts';

const providers = '/v1/auth-providers';
const start = '/v1/connections/get-sign-in-url';
const bySignIn = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
const byClient = { applicationSlug: 'sandbox-crm', authenticationId: 2, connectionName: 'By client' };

let account: TestAccount;
let serial = 0;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

async function createAuthProvider(
  changed: Record<string, unknown> = {},
): Promise<{ id: number; name: string }> {
  const { oauthClientId: Key1, oauthClientSecret: Key2 } = stack.sandboxCrm;
  const body = { name: `Used ${(serial += 1)}`, ...bySignIn, values: { Key1, Key2 }, ...changed };
  return expectStatus(await post(providers, body, account), 201).body;
}

const provider = async (id: number): Promise<Record<string, unknown>> =>
  (await get(`${providers}/${id}`, account)).body;
const tested = async (id: number): Promise<Record<string, unknown>> =>
  (await post(`/v1/connections/${id}/test`, undefined, account)).body;
const connect = async (query = '', changed: Record<string, unknown> = {}) =>
  await post(`/v1/connections${query}`, { ...byClient, ...changed }, account);

/** Signs in with a chosen client; returns the poll's result and the connection. */
async function connectBy(choice: Record<string, unknown>): Promise<any> {
  const { signInUrl, state } = await startCrmSignIn(account.apiKey, choice);
  expect((await authorize(signInUrl)).status).toBe(200);
  const poll = (await get(`/v1/connections/access-token/${state}`, account)).body;
  const body = { ...bySignIn, connectionName: 'Signed in', oauthState: state };
  const connection = expectStatus(await post('/v1/connections', body, account), 201).body;
  expect(connection.authProviderId).toBe(poll.connectionData.authProviderId);
  expect(await tested(connection.id)).toMatchObject({ isSuccess: true });
  return connection;
}

describe('A sign-in', () => {
  row(
    [
      'connections-and-sign-in.8',
      'connections-and-sign-in.6',
      'sign-in-and-access-token-poll.1',
      'completion.auth-providers.16',
      'completion.auth-providers.26',
    ],
    'goes through the named provider, the default one where none is named, or the connector’s own client for 0',
    async () => {
      const [named, standard] = [await createAuthProvider(), await createAuthProvider({ isDefault: true })];
      const chosen = async (choice: object): Promise<number> =>
        (await connectBy({ ...choice })).authProviderId;
      expect(await chosen({ authProviderId: named.id })).toBe(named.id);
      expect(await chosen({ authProvider: named.name })).toBe(named.id);
      expect(await chosen({ authProvider: String(named.id) })).toBe(named.id);
      expect(await chosen({})).toBe(standard.id);
      expect(await chosen({ authProviderId: 0 })).toBe(0);
      expect(await chosen({ authProvider: 'none' })).toBe(0);
      await patch(`${providers}/${standard.id}`, { isEnabled: false }, account);
      expect(await chosen({})).toBe(0);
      await patch(`${providers}/${standard.id}`, { isDefault: false }, account);
    },
  );

  row(
    ['connections-and-sign-in.8', 'completion.auth-providers.18'],
    'through a provider that is unknown, disabled or another account’s is 404',
    async () => {
      const disabled = await createAuthProvider({ isEnabled: false });
      const other = await createAccount();
      const foreign = expectStatus(
        await post(providers, { name: 'Foreign', ...bySignIn, values: { Key1: 'a', Key2: 'b' } }, other),
        201,
      ).body;
      for (const choice of [
        { authProviderId: disabled.id },
        { authProvider: disabled.name },
        { authProviderId: foreign.id },
        { authProvider: 'Foreign' },
        { authProviderId: 2_000_000_000 },
        { authProvider: 'no such provider' },
      ]) {
        expectError(await post(start, { ...bySignIn, ...choice }, account), 404, 'NOT_FOUND');
      }
      await removeAccount(other);
    },
  );

  test('[completion.auth-providers.15] through a provider of another method is INVALID_AUTH_PROVIDER', async () => {
    const { id } = await createAuthProvider({ authenticationId: 2 });
    const answer = await post(start, { ...bySignIn, authProviderId: id }, account);
    expectError(answer, 400, 'INVALID_AUTH_PROVIDER');
  });

  test('[completion.auth-providers.24] through a provider without a required value is INVALID_AUTH_PROVIDER', async () => {
    const { id } = await createAuthProvider();
    expectStatus(await patch(`${providers}/${id}`, { values: { Key2: '' } }, account), 200);
    const answer = await post(start, { ...bySignIn, authProviderId: id }, account);
    expectError(answer, 400, 'INVALID_AUTH_PROVIDER');
    expect(answer.body.message).toContain('Key2');
  });

  test.each([
    [{ authProviderId: 1, authProvider: 'x' }, 'authProvider'],
    [{ authProviderId: null }, 'authProviderId'],
    [{ authProvider: null }, 'authProvider'],
    [{ authProviderId: -1 }, 'authProviderId'],
    [{ authProvider: '' }, 'authProvider'],
  ])(
    '[completion.auth-providers.17, completion.auth-providers.19] with the choice %j is a VALIDATION_ERROR',
    async (choice, field) => {
      const answer = await post(start, { ...bySignIn, ...choice }, account);
      expectError(answer, 400, 'VALIDATION_ERROR', [field]);
    },
  );

  test('[completion.auth-providers.9] asks for the provider’s scopes', async () => {
    const { id } = await createAuthProvider({ scopes: ['crm.read'] });
    const { signInUrl, state } = await startCrmSignIn(account.apiKey, { authProviderId: id });
    expect((await authorize(signInUrl)).status).toBe(200);
    const { body } = await get(`/v1/connections/access-token/${state}`, account);
    expect(body.connectionData.grantedScopes).toEqual(['crm.read']);
  });

  test('[completion.auth-providers.9] a call that fails for want of a scope names it', async () => {
    const { id } = await connectBy({
      authProviderId: (await createAuthProvider({ scopes: ['crm.read'] })).id,
    });
    const call = (toolSlug: string, fields: object) =>
      post(`/v1/tools/${toolSlug}/execute?connectionId=${id}`, { fields }, account);
    const listed = expectStatus(await call('sandbox-crm-list-contacts', {}), 200).body;
    expect(listed).toMatchObject({ isSuccess: true });
    const created = expectStatus(await call('sandbox-crm-create-contact', { name: 'Ada' }), 200).body;
    expect(created).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringMatching(
        /^Sandbox CRM responded with 403: .*The connection was not granted the scope crm\.write, which this tool needs\. Sign in again to grant it\.$/,
      ),
    });
    const missing = await call('sandbox-crm-get-contact', { id: 'none' });
    expect(missing.body.errorMessage).not.toContain('was not granted');
  });

  test('[completion.auth-providers.9] again, for that connection, asks for the scope that a call lacked', async () => {
    const authProviderId = (await createAuthProvider({ scopes: ['crm.read'] })).id;
    const { id } = await connectBy({ authProviderId });
    const create = async () =>
      expectStatus(
        await post(
          `/v1/tools/sandbox-crm-create-contact/execute?connectionId=${id}`,
          { fields: { name: 'Ada' } },
          account,
        ),
        200,
      ).body;
    const signInAgain = async (choice: object): Promise<void> => {
      const { signInUrl, state } = await startCrmSignIn(account.apiKey, { authProviderId, ...choice });
      expect((await authorize(signInUrl)).status).toBe(200);
      const replacement = { connectionName: 'Signed in again', oauthState: state };
      expectStatus(await put(`/v1/connections/${id}`, replacement, account), 200);
    };
    expect(await create()).toMatchObject({ isSuccess: false });
    await signInAgain({});
    expect(await create()).toMatchObject({ isSuccess: false });
    await signInAgain({ connectionId: id });
    expect(await create()).toMatchObject({ isSuccess: true });
    // The added scopes stay with the connection.
    await signInAgain({ connectionId: id });
    expect(await create()).toMatchObject({ isSuccess: true });
  });

  test('[completion.auth-providers.9] again is refused for a connection of another method, or an unknown one', async () => {
    const fields = { apiToken: stack.sandboxCrm.apiKey };
    const other = expectStatus(await connect('', { authenticationId: 1, fields }), 201).body;
    const again = (connectionId: unknown) => post(start, { ...bySignIn, connectionId }, account);
    expectError(await again(other.id), 400, 'VALIDATION_ERROR', ['connectionId']);
    expectError(await again(2_000_000_000), 404, 'NOT_FOUND');
    expectError(await again(0), 400, 'VALIDATION_ERROR', ['connectionId']);
  });
});

describe('A connection by client credentials', () => {
  row(
    ['connections-and-sign-in.1', 'connections-and-sign-in.8'],
    'goes through the provider of the query, whose values are not asked for again',
    async () => {
      const { id, name } = await createAuthProvider({ authenticationId: 2 });
      for (const query of [`?authProviderId=${id}`, `?authProvider=${encodeURIComponent(name)}`]) {
        const { body } = expectStatus(await connect(query), 201);
        expect(body).toMatchObject({ authProviderId: id, fields: {}, secretFields: [] });
        expect(await tested(body.id)).toMatchObject({ isSuccess: true });
      }
      expectStatus(await patch(`${providers}/${id}`, { isDefault: true }, account), 200);
      expect((await connect()).body.authProviderId).toBe(id);
      const { oauthClientId: clientId, oauthClientSecret: clientSecret } = stack.sandboxCrm;
      expect((await connect('', { fields: { clientId, clientSecret } })).body.authProviderId).toBeNull();
      expectStatus(await patch(`${providers}/${id}`, { isDefault: false }, account), 200);
    },
  );

  test('refuses a provider that is unknown, or of another method', async () => {
    expectError(await connect('?authProviderId=2000000000'), 404, 'NOT_FOUND');
    const { id } = await createAuthProvider();
    expectError(await connect(`?authProviderId=${id}`), 400, 'INVALID_AUTH_PROVIDER');
  });

  row('connections-and-sign-in.1', 'is the only one that heeds the query', async () => {
    const fields = { apiToken: stack.sandboxCrm.apiKey };
    const answer = await connect('?authProviderId=2000000000', { authenticationId: 1, fields });
    expect(expectStatus(answer, 201).body.authProviderId).toBeNull();
  });
});

row(
  'completion.connections.62',
  'a client that the vendor refuses leaves its connection Active',
  async () => {
    const fields = { clientId: stack.sandboxCrm.oauthClientId, clientSecret: 'wrong-s3cr3t' };
    const { body: connection } = expectStatus(await connect('', { fields }), 201);
    expect(await tested(connection.id)).toMatchObject({ isSuccess: false });
    const { body: unchanged } = await get(`/v1/connections/${connection.id}`, account);
    expect(unchanged).toMatchObject({ status: 'Active', statusReason: null });
  },
);

describe('A provider in use', () => {
  row(
    ['auth-provider.10', 'errors.29', 'completion.auth-providers.27', 'completion.auth-providers.28'],
    'cannot be deleted, can be disabled, and its connections go on',
    async () => {
      const { id } = await createAuthProvider({ authenticationId: 2 });
      const { body: connection } = expectStatus(await connect(`?authProviderId=${id}`), 201);
      expectError(await del(`${providers}/${id}`, account), 409, 'AUTH_PROVIDER_IN_USE');
      expectStatus(await patch(`${providers}/${id}`, { isEnabled: false }, account), 200);
      expect(await tested(connection.id)).toMatchObject({ isSuccess: true });
      expectStatus(await del(`/v1/connections/${connection.id}`, account), 204);
      expectStatus(await del(`${providers}/${id}`, account), 204);
    },
  );

  test('[completion.auth-providers.28] by a sign-in alone can be deleted; the sign-in then makes no connection', async () => {
    const { id } = await createAuthProvider();
    const { signInUrl, state } = await startCrmSignIn(account.apiKey, { authProviderId: id });
    await authorize(signInUrl);
    expectStatus(await del(`${providers}/${id}`, account), 204);
    const body = { ...bySignIn, connectionName: 'Late', oauthState: state };
    expectError(await post('/v1/connections', body, account), 404, 'NOT_FOUND');
  });

  row(
    ['completion.auth-providers.9', 'completion.connections.63'],
    'with a wrong secret shows what the vendor says, and a corrected one heals its connections',
    async () => {
      const { oauthClientId: Key1, oauthClientSecret: Key2 } = stack.sandboxCrm;
      const { id } = await createAuthProvider({
        authenticationId: 2,
        values: { Key1, Key2: 'wrong-s3cr3t' },
      });
      const { body: connection } = expectStatus(await connect(`?authProviderId=${id}`), 201);
      expect(await tested(connection.id)).toMatchObject({ isSuccess: false });
      const { lastError } = await provider(id);
      expect(lastError).toMatch(/./);
      expect(lastError).not.toContain('wrong-s3cr3t');
      expect((await get(`/v1/connections/${connection.id}`, account)).body.status).toBe('Active');
      expectStatus(await patch(`${providers}/${id}`, { values: { Key2 } }, account), 200);
      expect(await provider(id)).toMatchObject({ lastError: null });
      expect(await tested(connection.id)).toMatchObject({ isSuccess: true });
    },
  );
});
