import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, post } from './support/api.ts';
import { createCrmConnection, createMcpConnection, removeConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
  await createCrmConnection('CRM', account.apiKey);
});
afterAll(() => removeAccount(account));

describe('errors that say what to do next', () => {
  row(
    'completion.everywhere.79',
    'an unknown application or tool is named, with the nearest slugs that the account sees',
    async () => {
      const body = { fields: {} };
      const typed = 'sandbox-crm-create-contct';
      for (const [answer, name, nearest] of [
        [await get(`/v1/tools/${typed}`, account), typed, 'sandbox-crm-create-contact'],
        [await post(`/v1/tools/${typed}/execute`, body, account), typed, 'sandbox-crm-create-contact'],
        [
          await post(`/v1/tools/${typed}/execute?applicationSlug=sandbox-crm`, body, account),
          typed,
          'sandbox-crm-create-contact',
        ],
        [await get('/v1/applications/sandbx-crm', account), 'sandbx-crm', 'sandbox-crm'],
        [
          await post('/v1/tools/sandbox-crm-whoami/execute?applicationSlug=sandbox-crn', body, account),
          'sandbox-crn',
          'sandbox-crm',
        ],
        [
          await post('/v1/connections', { applicationSlug: 'postgresq', connectionName: 'Data' }, account),
          'postgresq',
          'postgresql',
        ],
        [await get('/v1/tools/zzzz-yyyy', account), 'zzzz-yyyy', undefined],
        [await get('/v1/applications/zzzz-yyyy', account), 'zzzz-yyyy', undefined],
      ] as const) {
        expectError(answer, 404, 'NOT_FOUND');
        expect(answer.body.message).toContain(name);
        expect(answer.body.candidates[0]).toBe(nearest);
        expect(answer.body.candidates.length).toBeLessThanOrEqual(3);
      }
      const { id, applicationSlug } = await createMcpConnection('Of another account');
      try {
        const near = `/v1/applications/${applicationSlug.slice(0, -1)}_`;
        expect((await get(near)).body.candidates).toContain(applicationSlug);
        expect((await get(near, account)).body.candidates).not.toContain(applicationSlug);
      } finally {
        await removeConnection(id);
      }
    },
  );
  row(
    'completion.everywhere.78',
    'a filter of the wrong form is refused, one that names an unknown record gives an empty page',
    async () => {
      for (const wrong of ['abc', 'te_1', `te_${'0'.repeat(23)}`, `te_${'_'.repeat(22)}`]) {
        expectError(await get(`/v1/triggers/events?after=${wrong}`, account), 400, 'VALIDATION_ERROR', [
          'after',
        ]);
      }
      const unknown = expectList(await get(`/v1/triggers/events?after=te_${'0'.repeat(22)}`, account));
      expect(unknown).toMatchObject({ items: [], totalCount: 0 });
      for (const wrong of ['after=abc', 'connectionId=0', 'from=yesterday'])
        expectError(await get(`/v1/executions?${wrong}`, account), 400, 'VALIDATION_ERROR');
    },
  );
});
