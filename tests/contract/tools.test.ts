import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { expectError, expectList, get } from './support/api.ts';
import { createMcpConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

const CRM_TOOLS = [
  'create-contact',
  'create-deal',
  'create-invoice',
  'delete-contact',
  'get-contact',
  'get-deal',
  'get-invoice',
  'list-contacts',
  'list-deals',
  'list-invoices',
  'simulate-failure',
  'update-contact',
  'update-deal',
  'whoami',
].map((name) => `sandbox-crm-${name}`);

describe('tools', () => {
  row(
    [
      'what-the-service-does.5',
      'tools.1',
      'identifiers-and-naming.2',
      'identifiers-and-naming.9',
      'completion.everywhere.14',
      'completion.everywhere.33',
      'completion.applications-and-tools.16',
      'completion.applications-and-tools.18',
      'completion.sandbox-crm.9',
      'completion.sandbox-crm.10',
      'completion.sandbox-crm.11',
    ],
    'the list has every tool with its toolSlug, filtered by application, by name',
    async () => {
      const { items, totalCount } = expectList(await get('/v1/tools?applicationSlug=sandbox-crm'));
      const slugs: string[] = items.map((it) => it.toolSlug);
      expect(slugs.toSorted()).toEqual(CRM_TOOLS);
      expect(totalCount).toBe(CRM_TOOLS.length);
      const names = items.map((it) => it.toolName.toLowerCase());
      expect(names).toEqual(names.toSorted((a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)));
      // The catalog writes the list's items, the gateway the detail: both must be equal, even in the order of members.
      for (const item of items)
        expect(JSON.stringify(item)).toBe(JSON.stringify((await get(`/v1/tools/${item.toolSlug}`)).body));
      expect(expectList(await get('/v1/tools?applicationSlug=no-such-application')).items).toEqual([]);
    },
  );

  row(
    ['tools.1', 'completion.applications-and-tools.15', 'completion.applications-and-tools.17'],
    'a search finds a tool by what it does, an exact slug first',
    async () => {
      const exact = expectList(await get('/v1/tools?search=sandbox-crm-create-contact'));
      expect(exact.items[0]).toMatchObject({ toolSlug: 'sandbox-crm-create-contact', score: 1 });
      const words = expectList(await get('/v1/tools?search=create%20invoice'));
      expect(words.items[0]).toMatchObject({ toolSlug: 'sandbox-crm-create-invoice' });
      const meant = expectList(await get('/v1/tools?search=bill%20a%20customer'));
      expect(meant.items.map((it) => it.toolSlug)).toContain('sandbox-crm-create-invoice');
    },
  );

  row(
    ['tools.1', 'completion.everywhere.22'],
    'an empty or blank search is none: the whole list by name, without scores',
    async () => {
      const { items } = expectList(await get('/v1/tools'));
      for (const blank of ['', '%20', '+%09']) {
        expect(expectList(await get(`/v1/tools?search=${blank}`)).items).toEqual(items);
      }
      expect(items.some((it) => 'score' in it)).toBe(false);
    },
  );

  row(
    [
      'tool-detail.1',
      'tool-detail.2',
      'tool-detail.3',
      'tool-detail.4',
      'tool-detail.5',
      'tool-detail.6',
      'tool-detail.7',
      'tool-detail.8',
      'tools.2',
    ],
    'the detail names the tool, its application, version and whether it is deprecated',
    async () => {
      const answer = await get('/v1/tools/sandbox-crm-create-contact');
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        toolSlug: 'sandbox-crm-create-contact',
        toolName: expect.stringMatching(/contact/i),
        description: expect.stringMatching(/.{10}/),
        category: expect.any(String),
        applicationSlug: 'sandbox-crm',
        applicationName: expect.any(String),
        version: expect.stringMatching(/\d/),
        isDeprecated: false,
      });
    },
  );

  row(
    ['tool-detail.9', 'tool-detail.10'],
    'every input and output schema is an object schema that compiles as JSON Schema 2020-12',
    async () => {
      const { items } = expectList(await get('/v1/tools'));
      for (const { toolSlug, applicationSlug } of items) {
        const { body } = await get(`/v1/tools/${toolSlug}?applicationSlug=${applicationSlug}`);
        const ajv = new Ajv2020({ strict: false, validateFormats: false });
        for (const schema of [body.inputSchema, body.outputSchema]) {
          expect(schema.type, toolSlug).toBe('object');
          expect(() => ajv.compile(schema), toolSlug).not.toThrow();
        }
      }
    },
  );

  row(
    [
      'tool-detail.11',
      'tool-detail.12',
      'tool-detail.13',
      'tool-detail.14',
      'tool-detail.15',
      'completion.sandbox-crm.14',
    ],
    'list tools declare that they filter, sort and page, and their limits; others declare that they do not',
    async () => {
      expect((await get('/v1/tools/sandbox-crm-list-contacts')).body).toMatchObject({
        supportsFilters: true,
        supportsSort: true,
        supportsTopOffset: true,
        maxFilters: 5,
        maxSorts: 2,
      });
      expect((await get('/v1/tools/sandbox-crm-get-contact')).body).toMatchObject({
        supportsFilters: false,
        supportsSort: false,
        supportsTopOffset: false,
        maxFilters: 0,
        maxSorts: 0,
      });
    },
  );

  row(
    [
      'tools.2',
      'completion.everywhere.34',
      'completion.applications-and-tools.19',
      'completion.applications-and-tools.20',
    ],
    'a slug of several applications needs applicationSlug, and the error lists the candidates',
    async () => {
      const [one, two] = [await createMcpConnection('One'), await createMcpConnection('Two')];
      const { items } = expectList(await get(`/v1/tools?applicationSlug=mcp-${one.id}`));
      const slug = items[0].toolSlug as string;
      const ambiguous = await get(`/v1/tools/${slug}`);
      expectError(ambiguous, 409, 'AMBIGUOUS_TOOL');
      expect(ambiguous.body.candidates).toEqual(expect.arrayContaining([`mcp-${one.id}`, `mcp-${two.id}`]));
      const decided = await get(`/v1/tools/${slug}?applicationSlug=mcp-${two.id}`);
      expect(decided.body).toMatchObject({ toolSlug: slug, applicationSlug: `mcp-${two.id}` });
      await removeConnection(one.id);
      await removeConnection(two.id);
    },
  );

  row(
    ['tools.2', 'errors.26'],
    'an unknown tool, application or toolset is 404; an ill-formed toolset id is named',
    async () => {
      expectError(await get('/v1/tools/no-such-tool'), 404, 'NOT_FOUND');
      expectError(await get('/v1/tools/sandbox-crm-whoami?applicationSlug=http'), 404, 'NOT_FOUND');
      expectError(await get(`/v1/tools/sandbox-crm-whoami?toolsetId=${randomUUID()}`), 404, 'NOT_FOUND');
      expectError(await get('/v1/tools/sandbox-crm-whoami?toolsetId=nonsense'), 400, 'VALIDATION_ERROR', [
        'toolsetId',
      ]);
    },
  );
});
