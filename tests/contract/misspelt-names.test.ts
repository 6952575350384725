import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, patch, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

/** The unknown names in a refusal, with the suggested known ones. */
function advised({ body }: Answer): unknown {
  return body.details.map(({ field, issue }: { field: string; issue: string }) => [
    field,
    /did you mean (\w+)\?/.exec(issue)?.[1],
  ]);
}
const count = async (path: string): Promise<number> => expectList(await get(path, account)).totalCount;

describe('A misspelt name never loosens a limit:', () => {
  row(
    'completion.everywhere.75',
    'in the query of an execution or of a passthrough request it is refused with the nearest one, and nothing runs',
    async () => {
      const before = await count('/v1/executions?top=1');
      const paths = [
        `/v1/tools/sandbox-crm-create-contact/execute?`,
        `/v1/connections/${connectionId}/request?`,
      ];
      const bodies = [
        { fields: { name: 'Ada', email: `${randomUUID()}@example.com` } },
        { method: 'POST', path: '/contacts', body: { name: 'Ada', email: `${randomUUID()}@example.com` } },
      ];
      for (const [index, path] of paths.entries()) {
        const answer = await post(`${path}dryrun=true`, bodies[index], account);
        expectError(answer, 400, 'VALIDATION_ERROR', ['dryrun']);
        expect(advised(answer)).toEqual([['dryrun', 'dryRun']]);
      }
      const several = await post(`${paths[0]}toolsetid=x&colour=blue&connectionId=0`, bodies[0], account);
      expectError(several, 400, 'VALIDATION_ERROR', ['toolsetid', 'colour', 'connectionId']);
      expect(advised(several)).toEqual(
        expect.arrayContaining([
          ['toolsetid', 'toolsetId'],
          ['colour', undefined],
        ]),
      );
      expect(await count('/v1/executions?top=1')).toBe(before);
    },
  );

  row(
    'completion.everywhere.76',
    'in a toolset, its policy or an API key it is refused with the nearest one, and nothing is saved',
    async () => {
      const name = 'Strict';
      for (const [body, expected] of [
        [
          { name, policy: { readonly: true, requireApprovals: [] } },
          [
            ['policy.readonly', 'readOnly'],
            ['policy.requireApprovals', 'requireApproval'],
          ],
        ],
        [{ name, polices: { readOnly: true } }, [['polices', 'policy']]],
      ] as const) {
        const answer = await post('/v1/toolsets', body, account);
        expect([answer.status, answer.body.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
        expect(advised(answer)).toEqual(expected);
      }
      expect(await count('/v1/toolsets')).toBe(0);
      const made = await post('/v1/toolsets', { name, policy: { readOnly: true } }, account);
      const { id, policy } = expectStatus(made, 201).body;
      const change = await patch(
        `/v1/toolsets/${id}`,
        { name: 'Changed', policy: { readonly: false } },
        account,
      );
      expectError(change, 400, 'VALIDATION_ERROR', ['policy.readonly']);
      expect((await get(`/v1/toolsets/${id}`, account)).body).toMatchObject({ name, policy });

      const keys = await count('/admin/v1/api-keys');
      const key = await post(
        '/admin/v1/api-keys',
        { name: 'Agent', expires: '2030-01-01T00:00:00Z' },
        account,
      );
      expectError(key, 400, 'VALIDATION_ERROR', ['expires']);
      expect(await count('/admin/v1/api-keys')).toBe(keys);
    },
  );
});
