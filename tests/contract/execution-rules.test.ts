import { randomUUID } from 'node:crypto';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { expectError, get, post, put, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection, createCrmConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

let account: TestAccount;
let crm: number;
beforeAll(async () => {
  account = await createAccount();
  crm = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

const execute = (tool: string, body: unknown = {}, query = '', who = account): Promise<Answer> =>
  post(`/v1/tools/${tool}/execute${query}`, body, who);

/** The output of a call, which must succeed. */
async function output(tool: string, body: unknown): Promise<any> {
  const answer = await execute(tool, body, `?connectionId=${crm}`);
  expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
  return answer.body.output;
}

describe('a list tool', () => {
  row(
    ['completion.applications-and-tools.29', 'completion.applications-and-tools.30'],
    'filters by each operator; all conditions must hold; text is literal and case-sensitive',
    async () => {
      const company = `Filters ${randomUUID()}`;
      const contacts = [
        { name: 'Ada', email: 'ada@filters.example', phone: '1' },
        { name: 'ada', email: 'small@filters.example' },
        { name: 'A.a*%_', email: 'odd@filters.example' },
      ];
      for (const fields of contacts)
        await output('sandbox-crm-create-contact', { fields: { ...fields, company } });
      const sorts = [{ field: 'email', direction: 'asc' }];
      const named = async (...conditions: [field: string, operator: string, value: unknown][]) => {
        const filters = [['company', 'eq', company] as const, ...conditions].map(
          ([field, operator, value]) => ({ field, operator, value }),
        );
        const { items, totalCount } = await output('sandbox-crm-list-contacts', {
          fields: {},
          filters,
          sorts,
        });
        expect(totalCount).toBe(items.length);
        return items.map(({ name }: { name: string }) => name);
      };
      const [ada, odd, small] = ['Ada', 'A.a*%_', 'ada'];
      expect(await named()).toEqual([ada, odd, small]);
      expect(await named(['name', 'eq', 'Ada'])).toEqual([ada]);
      expect(await named(['name', 'ne', 'Ada'])).toEqual([odd, small]);
      expect(await named(['email', 'gt', 'ada@filters.example'])).toEqual([odd, small]);
      expect(await named(['email', 'gte', 'ada@filters.example'])).toEqual([ada, odd, small]);
      expect(await named(['email', 'lt', 'odd@filters.example'])).toEqual([ada]);
      expect(await named(['email', 'lte', 'odd@filters.example'])).toEqual([ada, odd]);
      expect(await named(['name', 'in', ['Ada', 'ada', 'nobody']])).toEqual([ada, small]);
      expect(await named(['name', 'contains', 'd'])).toEqual([ada, small]);
      expect(await named(['name', 'startsWith', 'A'])).toEqual([ada, odd]);
      expect(await named(['phone', 'isNull', true])).toEqual([odd, small]);
      expect(await named(['phone', 'isNull', false])).toEqual([ada]);
      // Neither patterns nor another case match.
      for (const text of ['A.a', '%', '_', '*'])
        expect(await named(['name', 'contains', text])).toEqual([odd]);
      expect(await named(['name', 'contains', 'DA'])).toEqual([]);
      expect(await named(['name', 'startsWith', 'A'], ['phone', 'isNull', true])).toEqual([odd]);
    },
  );

  row(
    'completion.applications-and-tools.37',
    'get, create and update answer the bare record; get, update and delete take its id',
    async () => {
      const created = await output('sandbox-crm-create-contact', { fields: { name: 'Bare' } });
      expect(created).toMatchObject({ id: expect.any(String), name: 'Bare', createdAt: expect.any(String) });
      const { id } = created;
      expect(await output('sandbox-crm-get-contact', { fields: { id } })).toEqual(created);
      const updated = await output('sandbox-crm-update-contact', { fields: { id, company: 'Of records' } });
      expect(updated).toEqual({ ...created, company: 'Of records' });
      await output('sandbox-crm-delete-contact', { fields: { id } });
      const gone = await execute('sandbox-crm-get-contact', { fields: { id } }, `?connectionId=${crm}`);
      expect(gone.body).toMatchObject({ isSuccess: false });
      for (const tool of ['get-contact', 'update-contact', 'delete-contact']) {
        const { body } = await get(`/v1/tools/sandbox-crm-${tool}`, account);
        expect(body.inputSchema.required).toContain('id');
      }
    },
  );
});

describe('a call', () => {
  row(
    ['completion.applications-and-tools.38', 'completion.applications-and-tools.39'],
    'is checked in order: tool, toolset, connection, application, licence, inputs',
    async () => {
      const blocked = await createCrmConnection('Blocked', account.apiKey);
      expect(
        (await put(`/admin/v1/connections/${blocked.id}/licence`, { status: 'none' }, account)).status,
      ).toBe(200);
      const wrongInputs = { fields: { name: 7 } };
      const tool = 'sandbox-crm-create-contact';
      const call = (slug: string, query: string): Promise<Answer> => execute(slug, wrongInputs, `?${query}`);
      const [unknown, toolset] = ['connectionId=2000000000', `toolsetId=${randomUUID()}`];
      const noTool = await call('no-such-tool', `${unknown}&${toolset}`);
      expectError(noTool, 404, 'NOT_FOUND');
      expect(noTool.body.message).toMatch(/tool/i);
      const noToolset = await call(tool, `${unknown}&${toolset}`);
      expectError(noToolset, 404, 'NOT_FOUND');
      expect(noToolset.body.message).toMatch(/toolset/i);
      const noConnection = await call(tool, unknown);
      expectError(noConnection, 404, 'NOT_FOUND');
      expect(noConnection.body.message).toMatch(/connection/i);
      expectError(await call('http-send-request', `connectionId=${blocked.id}`), 400, 'WRONG_APPLICATION');
      expectError(await call(tool, `connectionId=${blocked.id}`), 403, 'CONNECTION_BLOCKED');
      expectError(await call(tool, `connectionId=${crm}`), 400, 'VALIDATION_ERROR', ['fields.name']);
      await removeConnection(blocked.id, account.apiKey);
    },
  );

  row(
    'completion.applications-and-tools.44',
    'goes through the default of the account, whoever of it calls',
    async () => {
      const member = await createUser(account, { role: 'member' });
      const whoami = async (who: { readonly apiKey: string }): Promise<unknown> =>
        (await post('/v1/tools/sandbox-crm-whoami/execute', {}, who)).body.executionInfo;
      const byDefault = { connectionResolution: 'default', connectionId: crm };
      expect(await whoami(account)).toMatchObject(byDefault);
      expect(await whoami(member)).toMatchObject(byDefault);
      const second = await createCrmConnection('Of a member', member.apiKey);
      expect(second['isDefault']).toBe(false);
      expect((await put(`/v1/connections/${second.id}/default`, undefined, member)).status).toBe(200);
      for (const who of [account, member])
        expect(await whoami(who)).toMatchObject({ connectionId: second.id });
      expect((await put(`/v1/connections/${crm}/default`, undefined, account)).status).toBe(200);
      await removeConnection(second.id, account.apiKey);
    },
  );

  row(
    [
      'completion.applications-and-tools.21',
      'completion.applications-and-tools.23',
      'completion.applications-and-tools.24',
      'completion.applications-and-tools.25',
    ],
    'with a slug of several applications takes that of the only default connection; another application’s is WRONG_APPLICATION',
    async () => {
      const own = await createAccount();
      const tool = 'key-crm-whoami';
      const { url, apiKey: apiToken } = stack.sandboxCrm;
      expectError(await execute(tool, {}, '', own), 409, 'AMBIGUOUS_TOOL');
      const byKey = await createConnection(
        { applicationSlug: 'key-crm', connectionName: 'By key', fields: { address: url, apiToken } },
        own.apiKey,
      );
      expect((await execute(tool, {}, '', own)).body).toMatchObject({
        isSuccess: true,
        executionInfo: {
          connectionId: byKey.id,
          applicationSlug: 'key-crm',
          connectionResolution: 'default',
        },
      });
      const other = await createCrmConnection('Neither', own.apiKey);
      expectError(await execute(tool, {}, `?connectionId=${other.id}`, own), 400, 'WRONG_APPLICATION');
      await removeAccount(own);
    },
  );
});

row(
  ['completion.applications-and-tools.60', 'completion.applications-and-tools.61'],
  'a secret is masked in every encoding that vendors answer with, in the answer as in the history',
  async () => {
    // Private keys are often pasted with the escapes of a JSON file.
    const meant = `T0k&n/${randomUUID()}"\nmore`;
    const secret = JSON.stringify(meant).slice(1, -1);
    const { id } = await createConnection(
      {
        applicationSlug: 'http',
        connectionName: 'Echo',
        authenticationId: 1,
        fields: { baseUrl: stack.sandboxCrm.url, headerName: 'x-mine', apiKey: secret },
      },
      account.apiKey,
    );
    const bytes = Buffer.from(secret);
    const hex = bytes.toString('hex');
    const forms = {
      plain: secret,
      json: JSON.stringify(secret).slice(1, -1),
      escaped: Array.from(secret, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
        '',
      ),
      percent: encodeURIComponent(secret),
      everyByte: hex.replaceAll(/../g, '%$&'),
      upperPercent: hex.toUpperCase().replaceAll(/../g, '%$&'),
      base64: bytes.toString('base64'),
      base64url: bytes.toString('base64url'),
      hex,
      upperHex: hex.toUpperCase(),
      meant,
      meantInJson: JSON.stringify(JSON.stringify(meant)).slice(1, -1),
      meantInPercent: encodeURIComponent(meant),
      meantInBase64: Buffer.from(meant).toString('base64'),
    };
    for (const [name, text] of Object.entries(forms)) {
      const fields = { url: 'nowhere', query: { echo: `<${text}>` } };
      const answer = await execute('http-send-request', { fields }, `?connectionId=${id}`);
      const kept = await get(`/v1/executions/${answer.body.historyId}`, account);
      expect(kept.body.fields.query.echo, name).toMatch(/^<[^<>]*\*\*\*[^<>]*>$/);
      for (const shown of [answer.text, kept.text]) {
        expect(shown, name).not.toContain(text);
        expect(shown, name).not.toContain(JSON.stringify(text).slice(1, -1));
      }
    }
  },
);

row(
  ['completion.applications-and-tools.60', 'completion.applications-and-tools.61'],
  'a private key with escaped line breaks is masked with real ones, in the answer as in the history',
  async () => {
    const key = `-----BEGIN KEY-----\n${randomUUID()}\n${randomUUID()}\n-----END KEY-----\n`;
    const escaped = JSON.stringify(key).slice(1, -1);
    const twice = JSON.stringify(escaped).slice(1, -1);
    const vendor = await startTestServer(() => ({ body: { key, escaped, twice } }));
    onTestFinished(() => vendor.close());
    for (const apiKey of [escaped, twice]) {
      const { id } = await createConnection(
        {
          applicationSlug: 'http',
          connectionName: 'Escaped key',
          authenticationId: 1,
          fields: { baseUrl: vendor.url, headerName: 'x-mine', apiKey },
        },
        account.apiKey,
      );
      const answer = await execute(
        'http-send-request',
        { fields: { url: '/', query: { key, escaped, twice } } },
        `?connectionId=${id}`,
      );
      const kept = await get(`/v1/executions/${expectStatus(answer, 200).body.historyId}`, account);
      for (const shown of [answer.text, expectStatus(kept, 200).text]) {
        expect(shown).toContain('***');
        for (const line of key.split('\n').filter((part) => part !== '')) expect(shown).not.toContain(line);
      }
    }
  },
);
