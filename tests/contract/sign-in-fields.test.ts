import { afterEach, describe, expect } from 'vitest';
import { del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import { row } from './support/row.ts';
import { authorize, continueToVendor, startCrmSignIn, Visitor } from './support/sign-in.ts';

const path = '/v1/connections/get-sign-in-url';
const method = { applicationSlug: 'sandbox-crm', authenticationId: 0 };

afterEach(async () => {
  for (const { id } of expectList(await get('/v1/connections')).items) await del(`/v1/connections/${id}`);
});

/** Completes a sign-in that starts with these fields; returns its state. */
async function signedIn(fields: Record<string, string>): Promise<string> {
  const { signInUrl, state } = await startCrmSignIn(stack.account.apiKey, { fields });
  expect((await authorize(signInUrl)).status).toBe(200);
  return state;
}

describe('fields of get-sign-in-url', () => {
  row(
    'completion.connections.20',
    'those that the method marks atSignIn reach the vendor, are kept with the connection, and are those of its last sign-in',
    async () => {
      const { authenticationMethods } = (await get('/v1/applications/sandbox-crm')).body;
      expect(authenticationMethods[0].fields).toContainEqual(
        expect.objectContaining({ name: 'loginHint', atSignIn: true, pattern: expect.any(String) }),
      );
      const fields = { loginHint: 'grace@example.com' };
      const { signInUrl } = await startCrmSignIn(stack.account.apiKey, { fields });
      expect((await continueToVendor(new Visitor(), signInUrl)).html).toContain(fields.loginHint);

      const create = { ...method, connectionName: 'Hinted', fields: {} };
      const made = await post('/v1/connections', { ...create, oauthState: await signedIn(fields) });
      expect(made.status, made.text).toBe(201);
      expect(made.body.fields).toMatchObject({ ...fields, workspace: expect.any(String) });

      const address = `/v1/connections/${made.body.id}`;
      const chosen = await put(address, { connectionName: 'Hinted', fields: {} });
      expect(chosen.body.fields).toEqual(made.body.fields);
      const oauthState = await signedIn({ loginHint: 'ada@example.com' });
      const renewed = await put(address, { connectionName: 'Hinted', oauthState });
      expect(renewed.body.fields).toEqual({ ...made.body.fields, loginHint: 'ada@example.com' });
      const without = await put(address, { connectionName: 'Hinted', oauthState: await signedIn({}) });
      expect(without.body.fields).toEqual({ workspace: made.body.fields.workspace });
    },
  );

  row(
    'completion.connections.21',
    'a value outside the pattern, of another type or of an unknown name is a VALIDATION_ERROR that names it',
    async () => {
      const hostile = [
        'no-address',
        'a@b\r\nHost: evil.example',
        'a@b@c',
        'a b@c',
        '@'.padEnd(5_000, 'x'),
        7,
        true,
        ['a@b'],
        { a: 1 },
      ];
      for (const loginHint of hostile) {
        const answer = await post(path, { ...method, fields: { loginHint } });
        expectError(answer, 400, 'VALIDATION_ERROR', ['fields.loginHint']);
      }
      for (const name of ['subdomain', 'workspace', 'clientSecret', 'toString']) {
        const answer = await post(path, { ...method, fields: { [name]: 'x' } });
        expectError(answer, 400, 'VALIDATION_ERROR', [`fields.${name}`]);
      }
      for (const fields of [null, [], 'x', 7]) {
        expectError(await post(path, { ...method, fields }), 400, 'VALIDATION_ERROR', ['fields']);
      }
      expectError(await post(path, { ...method, fields: { ExternalOrgId: 'x' } }), 400, 'INVALID_FIELD');
      expect((await post(path, { ...method, fields: { loginHint: null } })).status).toBe(200);
    },
  );
});
