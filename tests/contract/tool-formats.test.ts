import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import { call, expectError, expectList, get, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

const CRM = 'applicationSlug=sandbox-crm';
const ALIAS = 'sandbox-crm-get-current-user';

describe('tools for the API of a model', () => {
  row(
    ['completion.applications-and-tools.62'],
    'a list has definitions in the form that is asked for, with names of at most 64 characters',
    async () => {
      const nameOf: Record<string, (definition: any) => string> = {
        openai: ({ type, function: called }) => {
          expect(type).toBe('function');
          expect(called.parameters).toMatchObject({ type: 'object' });
          return called.name;
        },
        anthropic: ({ name, input_schema: schema }) => {
          expect(schema).toMatchObject({ type: 'object' });
          return name;
        },
        'vercel-ai': ({ name, inputSchema }) => {
          expect(inputSchema).toMatchObject({ type: 'object' });
          return name;
        },
        gemini: ({ name, parameters }) => {
          expect(JSON.stringify(parameters)).not.toContain('additionalProperties');
          return name;
        },
      };
      for (const [format, readName] of Object.entries(nameOf)) {
        const { items, totalCount } = expectList(await get(`/v1/tools?${CRM}&top=5&format=${format}`));
        expect([items.length, totalCount]).toEqual([5, 14]);
        for (const item of items) {
          expect(Object.keys(item).toSorted()).toEqual(['applicationSlug', 'definition', 'toolSlug']);
          expect(readName(item.definition)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        }
      }
      const wrong = await get(`/v1/tools?${CRM}&format=other`);
      expectError(wrong, 400, 'INVALID_ENUM_VALUE');
      expect(wrong.body.message).toContain('vercel-ai');
    },
  );

  row(
    ['completion.applications-and-tools.62'],
    'a tool has the same name in every list, and no other tool has it: of a long slug, and of one that two applications share',
    async () => {
      const namesIn = async (top: number, query = ''): Promise<Map<string, string>> => {
        const named = new Map<string, string>();
        for (let offset = 0; ; offset += top) {
          const page = await get(`/v1/tools?format=vercel-ai&top=${top}&offset=${offset}${query}`);
          const { items, totalCount } = expectList(page);
          for (const { applicationSlug, toolSlug, definition } of items)
            named.set(`${applicationSlug}/${toolSlug}`, definition.name);
          if (offset + top >= totalCount) return named;
        }
      };
      const all = await namesIn(100);
      expect(new Set(all.values()).size).toBe(all.size);
      expect(all.get('sandbox-crm/sandbox-crm-create-contact')).toBe('sandbox-crm-create-contact');
      const shared = ['key', 'key-crm'].map((application) => all.get(`${application}/key-crm-whoami`));
      expect(new Set([undefined, ...shared]).size).toBe(3);
      const own = new Map<string, string>();
      for (const application of ['key', 'key-crm'])
        for (const [tool, name] of await namesIn(1, `&applicationSlug=${application}`)) own.set(tool, name);
      expect(own.size).toBe(4);
      for (const [tool, name] of own) {
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect([tool, all.get(tool)]).toEqual([tool, name]);
      }
      expect([...own.keys()].some((tool) => tool.length > 64 + 'key-crm/'.length)).toBe(true);
    },
  );

  row(
    ['completion.applications-and-tools.63'],
    'list and detail have the schema in the dialect that is asked for, and execute understands what it makes',
    async () => {
      const path = '/v1/tools/sandbox-crm-create-contact';
      const { body: own } = await get(path);
      expect(own.inputSchema.required).toEqual(['name']);
      const strict = (await get(`${path}?schemaProfile=openai-strict`)).body.inputSchema;
      expect(strict.additionalProperties).toBe(false);
      expect(strict.required).toEqual(Object.keys(strict.properties));
      const gemini = (await get(`${path}?schemaProfile=gemini`)).body.inputSchema;
      expect(gemini.properties.name.type).toBe('string');
      expect(JSON.stringify(gemini)).not.toContain('"null"');
      expect((await get(`${path}?schemaProfile=anthropic`)).body.inputSchema.type).toBe('object');
      expectError(await get(`${path}?schemaProfile=other`), 400, 'INVALID_ENUM_VALUE');
      const { items } = expectList(await get(`/v1/tools?${CRM}&schemaProfile=openai-strict`));
      for (const { inputSchema } of items) expect(inputSchema.additionalProperties).toBe(false);

      const connection = await createCrmConnection();
      try {
        const fields = Object.fromEntries(Object.keys(strict.properties).map((name) => [name, null]));
        const sent = { fields: { ...fields, name: 'Strict Ada' } };
        const at = `/v1/tools/sandbox-crm-create-contact/execute?connectionId=${connection.id}`;
        expectError(
          await call('POST', at, { body: { fields: { ...fields, name: null } } }),
          400,
          'VALIDATION_ERROR',
        );
        const { body } = await call('POST', `${at}&schemaProfile=openai-strict`, { body: sent });
        expect(body).toMatchObject({ isSuccess: true, output: { name: 'Strict Ada' } });
        expectError(
          await call('POST', `${at}&schemaProfile=other`, { body: sent }),
          400,
          'INVALID_ENUM_VALUE',
        );
      } finally {
        await removeConnection(connection.id);
      }
    },
  );

  row(
    ['completion.applications-and-tools.77', 'completion.applications-and-tools.78'],
    'a definition has the arguments of a list where the tool supports them, and execute takes them back',
    async () => {
      const schemaOf = async (tool: string, query: string): Promise<any> => {
        const { items } = expectList(await get(`/v1/tools?${CRM}&${query}`));
        const { definition } = items.find(({ toolSlug }) => toolSlug === tool) ?? {};
        return (
          definition.parameters ??
          definition.input_schema ??
          definition.inputSchema ??
          definition.function.parameters
        );
      };
      for (const format of [
        'openai',
        'anthropic',
        'vercel-ai',
        'gemini',
        'openai&schemaProfile=openai-strict',
      ]) {
        const { properties } = await schemaOf('sandbox-crm-list-contacts', `format=${format}`);
        expect(Object.keys(properties)).toEqual(
          expect.arrayContaining(['filters', 'sorts', 'top', 'offset']),
        );
        expect((await schemaOf('sandbox-crm-get-contact', `format=${format}`)).properties).not.toHaveProperty(
          'filters',
        );
      }
      const account = await createAccount();
      try {
        const { id } = await createCrmConnection('CRM', account.apiKey);
        const domain = `${randomUUID()}.example`;
        const execute = (tool: string, fields: object, query = ''): Promise<Answer> =>
          post(`/v1/tools/sandbox-crm-${tool}/execute?connectionId=${id}${query}`, { fields }, account);
        for (const name of ['Ada', 'Bob', 'Cy'])
          await execute('create-contact', { name, email: `${name}@${domain}` });
        const filters = [{ field: 'email', operator: 'contains', value: domain }];
        const sorts = [{ field: 'name', direction: 'desc' }];
        for (const profile of ['openai-strict', 'anthropic', 'gemini']) {
          const listed = await execute(
            'list-contacts',
            { filters, sorts, top: 1, offset: 1 },
            `&schemaProfile=${profile}`,
          );
          expect(listed.body.output.items.map(({ name }: { name: string }) => name)).toEqual(['Bob']);
          const wrong = await execute('list-contacts', { filters: 'Ada' }, `&schemaProfile=${profile}`);
          expectError(wrong, 400, 'VALIDATION_ERROR', ['fields.filters']);
        }
        const strict = { filters: null, sorts: null, top: null, offset: null };
        expect((await execute('list-contacts', strict, '&schemaProfile=openai-strict')).body.isSuccess).toBe(
          true,
        );
      } finally {
        await removeAccount(account);
      }
    },
  );

  row(
    ['completion.applications-and-tools.64'],
    'an alias answers with the canonical tool, and executes it',
    async () => {
      expect((await get(`/v1/tools/${ALIAS}`)).body.toolSlug).toBe('sandbox-crm-whoami');
      const { items } = expectList(await get(`/v1/tools?${CRM}`));
      expect(items.map(({ toolSlug }) => toolSlug)).not.toContain(ALIAS);
      const connection = await createCrmConnection();
      try {
        const at = `/v1/tools/${ALIAS}/execute?connectionId=${connection.id}`;
        const { body } = await call('POST', at, { body: {} });
        expect(body).toMatchObject({ isSuccess: true, executionInfo: { toolSlug: 'sandbox-crm-whoami' } });
      } finally {
        await removeConnection(connection.id);
      }
    },
  );
});
