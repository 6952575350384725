import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
let other: TestAccount;
let connectionId: number;
let destinationId: string;
beforeAll(async () => {
  [account, other] = await Promise.all([createAccount(), createAccount()]);
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
  destinationId = await createDestination(account);
});
afterAll(async () => {
  await removeAccount(account);
  await removeAccount(other);
});

async function createDestination(of: TestAccount): Promise<string> {
  const sent = { url: 'https://receiver.example/events' };
  return String(expectStatus(await post('/v1/triggers/destinations', sent, of), 201).body.id);
}

type Members = Record<string, unknown>;
const members = (more: Members = {}): Members => ({ name: 'Mine', triggerTypeSlug: 'http_webhook', ...more });
const send = (more: Members = {}): Promise<Answer> => post('/v1/triggers', members(more), account);
async function create(more: Members = {}): Promise<Record<string, any>> {
  return expectStatus(await send(more), 201).body;
}
const read = async (id: string) => expectStatus(await get(`/v1/triggers/${id}`, account), 200).body;
const change = (id: string, body: unknown): Promise<Answer> => patch(`/v1/triggers/${id}`, body, account);
/** A type that needs a connection, with a configuration. */
const NEEDY = { triggerTypeSlug: 'sandbox-crm-contact-created' };

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

describe('Triggers', () => {
  row(
    ['completion.triggers.2', 'completion.triggers.4', 'completion.triggers.10', 'completion.names.4'],
    'a trigger is created enabled, read, listed, changed and deleted; each answer is the whole record',
    async () => {
      const filter = 'body.total > 10';
      const created = await create({ filter, destinationIds: [destinationId, destinationId] });
      expect(created).toEqual({
        id: expect.stringMatching(/^trg_[0-9A-Za-z]+$/),
        name: 'Mine',
        triggerTypeSlug: 'http_webhook',
        connectionId: expect.any(Number),
        configuration: {},
        filter,
        destinationIds: [destinationId],
        isEnabled: true,
        inboundUrl: expect.stringMatching(new RegExp(`^${stack.baseUrl}/hooks/[0-9A-Za-z]{22,}$`)),
        lastFiredAt: null,
        lastError: null,
        gaps: [],
        createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
        updatedAt: created['createdAt'],
      });
      const id = String(created['id']);
      expect(await read(id)).toEqual(created);
      const { items } = expectList(await get('/v1/triggers', account));
      expect(items[0]).toEqual(created);
      const changed = expectStatus(await change(id, { name: 'New', filter: null, destinationIds: [] }), 200);
      expect(changed.body).toMatchObject({
        id,
        name: 'New',
        filter: null,
        destinationIds: [],
        isEnabled: true,
      });
      expect(changed.body.inboundUrl).toBe(created['inboundUrl']);
      expect(await read(id)).toEqual(changed.body);
      expectStatus(await del(`/v1/triggers/${id}`, account), 204);
      expectError(await get(`/v1/triggers/${id}`, account), 404, 'NOT_FOUND');
      expectError(await del(`/v1/triggers/${id}`, account), 404, 'NOT_FOUND');
      expectError(await change(id, { name: 'x' }), 404, 'NOT_FOUND');
    },
  );

  row(
    ['completion.triggers.15', 'completion.triggers.20', 'triggers.4'],
    'a type without a connection gets one from the server, of its own application, and the account has it',
    async () => {
      for (const [triggerTypeSlug, applicationSlug, configuration] of [
        ['schedule', 'schedule', { everySeconds: 3600 }],
        ['http_webhook', 'http-webhook', {}],
        ['connection_created', 'fairlead', {}],
      ] as const)
        for (const named of [{}, { connectionId: null }]) {
          const { connectionId: supplied, inboundUrl } = await create({
            triggerTypeSlug,
            configuration,
            ...named,
          });
          const connection = expectStatus(await get(`/v1/connections/${supplied}`, account), 200).body;
          expect(connection).toMatchObject({ id: supplied, applicationSlug, kind: 'Regular' });
          expect(inboundUrl === null).toBe(triggerTypeSlug !== 'http_webhook');
          const named2 = await create({ triggerTypeSlug, configuration, connectionId: supplied });
          expect(named2['connectionId']).toBe(supplied);
        }
      const one = await create({ triggerTypeSlug: 'schedule', configuration: { everySeconds: 60 } });
      const two = await create({ triggerTypeSlug: 'schedule', configuration: { everySeconds: 60 } });
      expect(two['connectionId']).toBe(one['connectionId']);
    },
  );

  row(
    ['completion.triggers.7', 'completion.triggers.4'],
    'a filter that does not parse is a VALIDATION_ERROR at creation and change, and nothing is stored',
    async () => {
      expectError(await send({ filter: 'body.((' }), 400, 'VALIDATION_ERROR', ['filter']);
      const { id } = await create();
      expectError(await change(id, { filter: '{' }), 400, 'VALIDATION_ERROR', ['filter']);
      expectError(await change(id, { filter: '' }), 400, 'VALIDATION_ERROR', ['filter']);
      expect((await read(id))['filter']).toBeNull();
    },
  );

  row(
    ['completion.triggers.8', 'completion.triggers.12'],
    'a connection of another application is WRONG_APPLICATION, at creation and at change',
    async () => {
      expectError(await send({ connectionId }), 400, 'WRONG_APPLICATION');
      const { id, connectionId: own } = await create();
      expectError(await change(id, { connectionId }), 400, 'WRONG_APPLICATION');
      const second = await createConnection(
        { applicationSlug: 'http-webhook', connectionName: 'Second', authenticationId: 0 },
        account.apiKey,
      );
      expect(expectStatus(await change(id, { connectionId: second.id }), 200).body.connectionId).toBe(
        second.id,
      );
      expect(second.id).not.toBe(own);
    },
  );

  row(
    ['completion.triggers.11', 'completion.triggers.13'],
    'PATCH replaces configuration whole, and the type does not change',
    async () => {
      const configuration = { cron: '0 9 * * *', timezone: 'Europe/Berlin' };
      const { id } = await create({ triggerTypeSlug: 'schedule', configuration });
      expect(
        expectStatus(await change(id, { configuration: { cron: '0 8 * * *' } }), 200).body,
      ).toMatchObject({
        configuration: { cron: '0 8 * * *' },
      });
      expect((await read(id))['configuration']).toEqual({ cron: '0 8 * * *' });
      const refused = await change(id, { triggerTypeSlug: 'http_webhook' });
      expectError(refused, 400, 'VALIDATION_ERROR', ['triggerTypeSlug']);
      expectStatus(await change(id, { triggerTypeSlug: 'schedule' }), 200);
    },
  );

  row(
    ['completion.triggers.21', 'completion.triggers.22', 'completion.triggers.23'],
    'a schedule has cron with 5 or 6 fields and a timezone, or everySeconds of 10 or more, not both',
    async () => {
      const schedule = (configuration: unknown) =>
        send({ triggerTypeSlug: 'schedule', configuration, isEnabled: false });
      for (const configuration of [
        { cron: '*/5 * * * *' },
        { cron: '0 */5 * * * *', timezone: 'America/New_York' },
        { everySeconds: 10 },
      ])
        expect(expectStatus(await schedule(configuration), 201).body.configuration).toEqual(configuration);
      for (const [configuration, field] of [
        [{}, 'configuration.cron'],
        [{ cron: '* * * *' }, 'configuration.cron'],
        [{ cron: '* * * * * * *' }, 'configuration.cron'],
        [{ cron: '99 * * * *' }, 'configuration.cron'],
        [{ cron: 5 }, 'configuration.cron'],
        [{ cron: '* * * * *', timezone: 'Mars/Base' }, 'configuration.timezone'],
        [{ everySeconds: 9 }, 'configuration.everySeconds'],
        [{ everySeconds: 10.5 }, 'configuration.everySeconds'],
        [{ everySeconds: '10' }, 'configuration.everySeconds'],
        [{ cron: '* * * * *', everySeconds: 10 }, 'configuration.everySeconds'],
      ] as const)
        expectError(await schedule(configuration), 400, 'VALIDATION_ERROR', [field]);
    },
  );

  row(
    ['completion.everywhere.29', 'completion.triggers.2'],
    'known members are checked strictly; a type, connection or destination that does not exist is NOT_FOUND',
    async () => {
      for (const [more, field] of [
        [{ name: '' }, 'name'],
        [{ name: 'x'.repeat(201) }, 'name'],
        [{ connectionId: 'one' }, 'connectionId'],
        [{ connectionId: 0 }, 'connectionId'],
        [{ configuration: [] }, 'configuration'],
        [{ isEnabled: 'yes' }, 'isEnabled'],
        [{ destinationIds: ['nope'] }, 'destinationIds[0]'],
        [{ destinationIds: null }, 'destinationIds'],
      ] as const)
        expectError(await send(more), 400, 'VALIDATION_ERROR', [field]);
      const theirs = await createDestination(other);
      for (const more of [
        { triggerTypeSlug: 'no-such-type' },
        { connectionId: 2_000_000_000 },
        { destinationIds: [destinationId, 'dst_0000000000000000000000'] },
        { destinationIds: [theirs] },
      ])
        expectError(await send(more), 404, 'NOT_FOUND');
    },
  );

  row(
    ['completion.connections.42', 'completion.connections.46'],
    'a connection that an enabled trigger uses is CONNECTION_IN_USE; force disables the trigger',
    async () => {
      const own = await createConnection(
        { applicationSlug: 'http-webhook', connectionName: 'Used', authenticationId: 0 },
        account.apiKey,
      );
      const { id } = await create({ connectionId: own.id });
      await create({ connectionId: own.id, isEnabled: false });
      const refused = await del(`/v1/connections/${own.id}`, account);
      expectError(refused, 409, 'CONNECTION_IN_USE');
      expect(refused.body.candidates).toEqual([`trigger:${id}`]);
      expectStatus(await del(`/v1/connections/${own.id}?force=true`, account), 204);
      expect(await read(id)).toMatchObject({ isEnabled: false, connectionId: own.id });
      // A disabled trigger does not block the deletion.
      const { id: again } = await create({ connectionId: null });
      const enabled = expectStatus(await change(id, { isEnabled: true }), 200).body;
      expect(enabled.connectionId).toBe((await read(again))['connectionId']);
    },
  );
});

describe('A type that needs a connection', () => {
  row(
    ['triggers.4', 'errors.20', 'completion.triggers.9'],
    'is EMPTY_QUERY without one or with null, at creation and at change',
    async () => {
      expectError(await send(NEEDY), 400, 'EMPTY_QUERY');
      expectError(await send({ ...NEEDY, connectionId: null }), 400, 'EMPTY_QUERY');
      const { id } = await create({ ...NEEDY, connectionId, isEnabled: false });
      expectError(await change(id, { connectionId: null }), 400, 'EMPTY_QUERY');
    },
  );
});
