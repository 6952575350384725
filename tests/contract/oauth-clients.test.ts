import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createUser, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { del, expectError, expectList, get, post, stack } from './support/api.ts';
import { REDIRECT_URI, postForm, serverMetadata, tokensOf, withToken } from './support/oauth.ts';
import type { OAuthAnswer, TestClient } from './support/oauth.ts';
import { row } from './support/row.ts';

const path = '/admin/v1/oauth-clients';
const whoami = '/v1/auth/whoami';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

async function createClient(
  more: Record<string, unknown> = {},
): Promise<TestClient & { readonly record: any }> {
  const answer = await post(
    path,
    { name: 'Machine', grantTypes: ['client_credentials'], scopes: ['connections.read'], ...more },
    account,
  );
  expect(answer.status, answer.text).toBe(201);
  const { clientSecret, ...record } = answer.body;
  return { clientId: record.clientId, clientSecret, record };
}

async function askAsItself(client: TestClient, scope?: string): Promise<OAuthAnswer> {
  const { token_endpoint: endpoint } = await serverMetadata();
  return postForm(endpoint, client, {
    grant_type: 'client_credentials',
    resource: stack.baseUrl,
    ...(scope === undefined ? {} : { scope }),
  });
}

describe('an account’s own OAuth clients', () => {
  row('authentication.7', 'the secret is shown once, in the response that creates the client', async () => {
    const { clientSecret, record } = await createClient();
    expect(clientSecret).toMatch(/^.{32,}$/);
    const list = await get(path, account);
    expect(expectList(list).items).toContainEqual(record);
    expect(list.text).not.toContain(clientSecret);
  });

  row(
    ['authentication.3', 'completion.auth-and-people.15'],
    'with client credentials it acts as its user, within its scopes',
    async () => {
      const client = await createClient({ scopes: ['connections.read', 'tools.read'] });
      const granted = await askAsItself(client, 'tools.read');
      expect(granted.status, JSON.stringify(granted.body)).toBe(200);
      expect(granted.body).not.toHaveProperty('refresh_token');
      const answer = await get(whoami, withToken(granted.body.access_token));
      expect(answer.body).toMatchObject({
        accountId: account.accountId,
        userEmail: account.ownerEmail,
        credentialType: 'bearer',
        scopes: ['tools.read'],
        permissions: ['tools.read'],
      });
      const refused = await askAsItself(client, 'connections.write');
      expect(refused.status).toBe(400);
      expect(refused.body.error).toBe('invalid_scope');
    },
  );

  row('errors.4', 'only the scope administration lets a token administer', async () => {
    const plain = await askAsItself(await createClient());
    expectError(await get('/admin/v1/account', withToken(plain.body.access_token)), 403, 'FORBIDDEN');
    const administrator = await askAsItself(
      await createClient({ scopes: ['administration'] }),
      'administration',
    );
    expect((await get('/admin/v1/account', withToken(administrator.body.access_token))).status).toBe(200);
  });

  test('people sign in to it, and its code needs its secret', async () => {
    const client = await createClient({
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [REDIRECT_URI],
    });
    const person = { email: account.ownerEmail, password: account.ownerPassword };
    const { access_token } = await tokensOf(person, client, { scope: 'connections.read' });
    expect((await get('/v1/connections', withToken(access_token))).status).toBe(200);
    const { token_endpoint: endpoint } = await serverMetadata();
    const wrong = { ...client, clientSecret: `${client.clientSecret}x` };
    expect((await postForm(endpoint, wrong, { grant_type: 'client_credentials' })).status).toBe(401);
  });

  row('authentication.6', 'a client that is removed ends with its tokens within two seconds', async () => {
    const client = await createClient();
    const { access_token } = (await askAsItself(client)).body;
    expect((await get(whoami, withToken(access_token))).status).toBe(200);
    expect((await del(`${path}/${client.clientId}`, account)).status).toBe(204);
    await expect.poll(async () => (await get(whoami, withToken(access_token))).status).toBe(401);
    expect((await askAsItself(client)).status).toBe(401);
    expectError(await del(`${path}/${client.clientId}`, account), 404, 'NOT_FOUND');
  });

  test('they are for administrators', async () => {
    const developer = await createUser(account, { role: 'developer' });
    expectError(await get(path, developer), 403, 'FORBIDDEN');
    expectError(await post(path, {}, developer), 403, 'FORBIDDEN');
  });

  test.each([
    [{ name: '' }, 'VALIDATION_ERROR', 'name'],
    [{ scopes: ['everything'] }, 'INVALID_ENUM_VALUE', 'scopes[0]'],
    [{ grantTypes: ['password'] }, 'INVALID_ENUM_VALUE', 'grantTypes[0]'],
    [
      { grantTypes: ['authorization_code'], redirectUris: ['nowhere'] },
      'VALIDATION_ERROR',
      'redirectUris[0]',
    ],
  ])('%o is refused', async (wrong, errorCode, field) => {
    const body = {
      name: 'Wrong',
      grantTypes: ['client_credentials'],
      scopes: ['connections.read'],
      ...wrong,
    };
    expectError(await post(path, body, account), 400, errorCode, [field]);
  });
});
