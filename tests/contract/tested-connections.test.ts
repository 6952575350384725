import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, post, stack } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const connection = (connectionName: string, apiToken: string) => ({
  applicationSlug: 'sandbox-crm',
  connectionName,
  authenticationId: 1,
  fields: { apiToken },
});

describe('a connection that is tested before it is stored', () => {
  row('completion.connections.89', 'is refused with the words of the vendor, and not stored', async () => {
    const create = (query: string, name: string, token: string) =>
      post(`/v1/connections${query}`, connection(name, token), account);
    const untested = await create('', 'Untested', 'wr0ng-t0ken');
    const test = await post(`/v1/connections/${untested.body.id}/test`, {}, account);
    expect(test.body).toMatchObject({ isSuccess: false, errorMessage: expect.stringMatching(/./) });
    const refused = await create('?test=true', 'Refused', 'wr0ng-t0ken');
    expectError(refused, 400, 'VALIDATION_ERROR', ['fields']);
    expect(refused.body.details[0].issue).toContain(test.body.errorMessage);
    expect(refused.text).not.toContain('wr0ng-t0ken');
    expect((await create('?test=true', 'Tested', stack.sandboxCrm.apiKey)).status).toBe(201);
    const { items } = expectList(await get('/v1/connections', account));
    const names = items.map(({ connectionName }) => connectionName);
    expect(new Set(names)).toEqual(new Set(['Tested', 'Untested']));
    expectError(await create('?test=perhaps', 'X', 'x'), 400, 'VALIDATION_ERROR', ['test']);
  });
});
