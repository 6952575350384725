import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { expectError, get, patch, post, stack } from './support/api.ts';

const path = '/admin/v1/account';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

describe('the account’s settings', () => {
  test('they are the account of the credential, with times', async () => {
    const { status, body } = await get(path, account);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      accountId: account.accountId,
      isRbacEnabled: false,
      defaultLicence: 'active',
    });
    for (const member of ['createdAt', 'updatedAt']) {
      expect(new Date(body[member]).toISOString(), member).toBe(body[member]);
    }
  });

  test('[completion.administration.4] a change leaves what it does not name, and whoami knows the new name', async () => {
    const { updatedAt: before, ...settings } = (await get(path, account)).body;
    const name = `Renamed ${Date.now()}`;
    const { updatedAt, ...changed } = (await patch(path, { name }, account)).body;
    expect(changed).toEqual({ ...settings, name });
    expect(updatedAt > before).toBe(true);
    await expect.poll(async () => (await get('/v1/auth/whoami', account)).body.accountName).toBe(name);
    expect((await patch(path, {}, account)).body).toMatchObject({ name });
  });

  test('[completion.connections.57] a new connection has the account’s default licence', async () => {
    const create = async (): Promise<unknown> => {
      const answer = await post(
        '/v1/connections',
        {
          applicationSlug: 'sandbox-crm',
          connectionName: 'Licensed',
          authenticationId: 1,
          fields: { apiToken: stack.sandboxCrm.apiKey },
        },
        account,
      );
      const { status, licence } = answer.body;
      return { status, licence: licence.status };
    };
    expect(await create()).toEqual({ status: 'Active', licence: 'active' });
    expect((await patch(path, { defaultLicence: 'none' }, account)).body.defaultLicence).toBe('none');
    await expect.poll(create).toEqual({ status: 'Blocked', licence: 'none' });
    await patch(path, { defaultLicence: 'active' }, account);
    await expect.poll(create).toEqual({ status: 'Active', licence: 'active' });
  });

  test.each([
    [{ name: '' }, 'VALIDATION_ERROR', ['name']],
    [{ name: 7 }, 'VALIDATION_ERROR', ['name']],
    [{ name: null }, 'VALIDATION_ERROR', ['name']],
    [{ isRbacEnabled: 'yes' }, 'VALIDATION_ERROR', ['isRbacEnabled']],
    [{ budgets: [] }, 'VALIDATION_ERROR', ['budgets']],
    [{ defaultLicence: 'gone' }, 'INVALID_ENUM_VALUE', ['defaultLicence']],
  ])('%o is refused and changes nothing', async (body, errorCode, fields) => {
    const before = (await get(path, account)).body;
    expectError(await patch(path, { isRbacEnabled: true, ...body }, account), 400, errorCode, fields);
    expect((await get(path, account)).body).toEqual(before);
  });

  test('what is none of the settings is ignored, the account’s id too', async () => {
    const answer = await patch(path, { accountId: stack.otherAccount.accountId, colour: 'blue' }, account);
    expect(answer.body).toMatchObject({ accountId: account.accountId });
    expect(answer.body).not.toHaveProperty('colour');
  });
});
