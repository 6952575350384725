import { describe, expect } from 'vitest';
import { asOther, expectError, get, stack } from './support/api.ts';
import { crc32Base62 } from './support/checksum.ts';
import { row } from './support/row.ts';

const whoami = '/v1/auth/whoami';

describe('authentication', () => {
  row(
    ['what-the-service-does.1', 'authentication.2', 'authentication.1', 'completion.auth-and-people.5'],
    'an API key authenticates as its owner and resolves the account',
    async () => {
      const answer = await get(whoami);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        accountId: stack.account.accountId,
        userEmail: stack.account.ownerEmail,
        credentialType: 'apiKey',
        roles: ['owner'],
      });
      for (const member of ['accountName', 'userId', 'userName', 'credentialId']) {
        expect(answer.body[member], member).toEqual(expect.stringMatching(/./));
      }
      expect(answer.body.permissions).toEqual(expect.arrayContaining(['connections.write', 'tools.execute']));
      expect(answer.body).toMatchObject({ scopes: null, toolsetId: null });
      expect((await get(whoami, asOther)).body.accountId).toBe(stack.otherAccount.accountId);
    },
  );

  row(
    ['authentication.4', 'authentication.3', 'completion.auth-and-people.1', 'completion.auth-and-people.3'],
    'a Bearer credential wins over a valid key, so a bad one refuses the call',
    async () => {
      expectError(
        await get(whoami, { headers: { authorization: 'Bearer no.such.token' } }),
        401,
        'UNAUTHORIZED',
      );
      const keyAsBearer = { authorization: `Bearer ${stack.account.apiKey}` };
      for (const headers of [keyAsBearer, { authorization: stack.account.apiKey }]) {
        const answer = await get(whoami, { apiKey: null, headers });
        expectError(answer, 401, 'UNAUTHORIZED');
        expect(answer.body.message).toContain('x-api-key');
      }
      expectError(await get(whoami, { headers: { authorization: 'Basic eDp5' } }), 401, 'UNAUTHORIZED');
    },
  );

  row(
    ['authentication.6', 'errors.21', 'errors.3'],
    'a missing, mistyped or unknown key is 401',
    async () => {
      const { apiKey } = stack.account;
      const flipped = apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
      for (const key of [null, '', 'nonsense', flipped, `${apiKey}x`, apiKey.toUpperCase()]) {
        expectError(await get(whoami, { apiKey: key }), 401, 'UNAUTHORIZED');
      }
      // Well-formed including its checksum, but unknown.
      const random = 'z'.repeat(32);
      expectError(
        await get(whoami, { apiKey: `fairlead_${random}${crc32Base62(random)}` }),
        401,
        'UNAUTHORIZED',
      );
      for (const keys of [`${apiKey}, ${apiKey}`, `${apiKey},${stack.otherAccount.apiKey}`]) {
        expectError(await get(whoami, { apiKey: keys }), 401, 'UNAUTHORIZED');
      }
    },
  );

  row(
    ['authentication.1', 'authentication.6'],
    'the operator’s key opens no account, and an account’s key opens nothing of the operator’s',
    async () => {
      const { operatorKey } = stack;
      const asBearer = { apiKey: null, headers: { authorization: `Bearer ${operatorKey}` } };
      for (const path of [whoami, '/v1/connections', '/admin/v1/account']) {
        expectError(await get(path, { apiKey: operatorKey }), 401, 'UNAUTHORIZED');
        expectError(await get(path, asBearer), 401, 'UNAUTHORIZED');
      }
      const accounts = '/operator/v1/accounts';
      for (const apiKey of [null, stack.account.apiKey, `${operatorKey}x`, operatorKey.slice(0, -1)]) {
        expectError(await get(accounts, { apiKey }), 401, 'UNAUTHORIZED');
      }
      expect((await get(accounts, { apiKey: operatorKey })).status).toBe(200);
      expect((await get(accounts, asBearer)).status).toBe(200);
    },
  );

  row(
    ['authentication.5', 'completion.everywhere.36', 'completion.everywhere.37'],
    'every response carries x-request-id: the caller’s when it is well-formed, else a new one',
    async () => {
      const own = 'My-request.1_2';
      expect((await get(whoami, { headers: { 'x-request-id': own } })).headers.get('x-request-id')).toBe(own);
      const refused = await get('/v1/connections/999999', { headers: { 'x-request-id': own } });
      expect(refused.body.requestId).toBe(own);
      for (const bad of ['with space', 'a/b', 'x'.repeat(129)]) {
        const made = (await get(whoami, { headers: { 'x-request-id': bad } })).headers.get('x-request-id');
        expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
      const unmatched = await get('/nowhere', { apiKey: null });
      expect(unmatched.headers.get('x-request-id')).toBeTruthy();
    },
  );

  row(
    ['endpoints.1', 'versioning.1', 'completion.auth-and-people.23'],
    'every operation but the public ones needs a credential',
    async () => {
      const paths = [
        '/v1/applications',
        '/v1/tools',
        '/v1/connections',
        '/v1/executions',
        '/v1/tools/x',
        '/admin/v1/connections',
      ];
      for (const path of paths) expectError(await get(path, { apiKey: null }), 401, 'UNAUTHORIZED');
      expect((await get('/openapi.json', { apiKey: null })).status).toBe(200);
      expect((await get('/docs', { apiKey: null })).status).toBe(200);
    },
  );
});
