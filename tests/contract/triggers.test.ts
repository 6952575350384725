import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import { expectList, get } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

describe('Trigger types', () => {
  const path = '/v1/triggers/types';
  const list = async (query = '') => expectList(await get(`${path}${query}`, account));

  row(
    ['completion.triggers.1', 'completion.everywhere.11', 'completion.applications-and-tools.16'],
    'GET /v1/triggers/types lists them by name in the envelope, of all applications or of one',
    async () => {
      const { items, totalCount, offset, top } = await list();
      expect([offset, top, totalCount]).toEqual([0, 100, items.length]);
      const names = items.map(({ name }) => String(name).toLowerCase());
      expect(names).toEqual(names.toSorted());
      expect((await list('?applicationSlug=schedule')).items).toMatchObject([{ slug: 'schedule' }]);
      expect((await list('?applicationSlug=nope')).items).toEqual([]);
      expect((await list('?offset=1&top=1')).items).toEqual([items[1]]);
    },
  );

  row(
    ['completion.triggers.1', 'completion.applications-and-tools.14'],
    'search orders trigger types by relevance, with a score; an exact slug comes first',
    async () => {
      const { items } = await list('?search=http_webhook');
      expect(items[0]).toMatchObject({ slug: 'http_webhook', score: 1 });
      const narrowed = await list('?search=connection&applicationSlug=fairlead');
      expect(narrowed.items.map(({ applicationSlug }) => applicationSlug)).toContain('fairlead');
      expect(new Set(narrowed.items.map(({ applicationSlug }) => applicationSlug)).size).toBe(1);
      expect((await list('?search=')).items[0]).not.toHaveProperty('score');
    },
  );

  row(
    [
      'completion.triggers.3',
      'completion.triggers.15',
      'completion.triggers.16',
      'completion.triggers.17',
      'completion.triggers.18',
      'completion.triggers.19',
    ],
    'a trigger type has its members; the types without a connection belong to applications of their own',
    async () => {
      const { items } = await list();
      const types = new Map(items.map((item) => [item.slug, item]));
      const expected = [
        ['schedule', 'schedule', 'schedule'],
        ['http_webhook', 'http-webhook', 'webhook'],
        ['connection_needs_reauthentication', 'fairlead', 'system'],
        ['connection_created', 'fairlead', 'system'],
        ['connection_recovered', 'fairlead', 'system'],
        ['connection_deleted', 'fairlead', 'system'],
      ];
      for (const [slug = '', applicationSlug, kind] of expected)
        expect(types.get(slug)).toEqual({
          slug,
          name: expect.any(String),
          description: expect.any(String),
          applicationSlug,
          requiresConnection: false,
          configSchema: expect.objectContaining({ type: 'object' }),
          payloadSchema: expect.objectContaining({ type: 'object' }),
          kind,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        });
      const { payloadSchema } = types.get('connection_needs_reauthentication') ?? {};
      expect(Object.keys(payloadSchema.properties)).toEqual([
        'connectionId',
        'applicationSlug',
        'endUserId',
        'reason',
      ]);
    },
  );

  row(
    ['completion.applications-and-tools.1', 'completion.applications-and-tools.9'],
    'the applications of these types have one method none and count their trigger types',
    async () => {
      for (const [slug, count] of [
        ['schedule', 1],
        ['http-webhook', 1],
        ['fairlead', 4],
      ] as const) {
        const { body } = await get(`/v1/applications/${slug}`, account);
        expect(body).toMatchObject({
          slug,
          isAvailable: true,
          triggerTypeCount: count,
          authenticationMethods: [{ isDefault: true, requiresOAuthSignIn: false, fields: [] }],
        });
      }
    },
  );
});
