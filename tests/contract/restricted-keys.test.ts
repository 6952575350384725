import { randomUUID } from 'node:crypto';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, createApiKey, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import { call, del, expectError, expectList, get, patch, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const CREATE = 'sandbox-crm-create-contact';
const LIST = 'sandbox-crm-list-contacts';

/** All routes that a restricted key may call (row completion.administration.35). */
const OPEN = [
  'get /v1/auth/whoami',
  'get /v1/applications',
  'get /v1/applications/{slug}',
  'get /v1/tools',
  'get /v1/tools/{toolSlug}',
  'post /v1/tools/{toolSlug}/execute',
  'get /v1/executions',
  'get /v1/executions/{historyId}',
  'get /v1/toolsets/{id}',
  'get /v1/toolsets/{id}/tools',
  'post /v1/files',
  'get /v1/files/{fileId}',
  'delete /v1/files/{fileId}',
];
const guarded = routeTable.filter(({ auth }) => auth === 'credential');

interface Key {
  readonly id: string;
  readonly apiKey: string;
}

let account: TestAccount;
let inside: number;
let outside: number;
let workflowToken: string;
let workflowSlug: string;
let toolsetId: string;
let another: string;
let key: Key;
beforeAll(async () => {
  account = await createAccount();
  [inside, outside] = [
    (await createCrmConnection('Inside', account.apiKey)).id,
    (await createCrmConnection('Outside', account.apiKey)).id,
  ];
  workflowSlug = `flow-${randomUUID()}`;
  const steps = [{ id: 'list', toolSlug: LIST }];
  const flow = { name: 'Flow', slug: workflowSlug, steps };
  // An account's first expression starts its worker, which a busy machine may not do in time (429).
  workflowToken = await vi.waitFor(
    async () => expectStatus(await post('/v1/workflows', flow, account), 201).body.workflowToken,
    { timeout: 90_000 },
  );
  toolsetId = await toolset({
    tools: [{ toolSlug: LIST, applicationSlug: 'sandbox-crm' }],
    workflows: [{ workflowToken }],
  });
  another = await toolset({});
  key = await createApiKey(account, { toolsetId });
});
afterAll(() => removeAccount(account));

async function toolset(more: Readonly<Record<string, unknown>>): Promise<string> {
  const body = { name: 'Held', connections: [{ connectionId: inside }], ...more };
  return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
}

function execute(slug: string, query: Readonly<Record<string, string>>, caller: Key | TestAccount) {
  const search = new URLSearchParams(query);
  return post(`/v1/tools/${slug}/execute?${search.toString()}`, {}, caller);
}

async function executeTools(
  slug: string,
  query: Readonly<Record<string, string>>,
  caller: Key | TestAccount,
): Promise<number> {
  const { body, text } = expectStatus(await execute(slug, query, caller), 200);
  expect(body.isSuccess, text).toBe(true);
  return body.historyId;
}

/** Returns the calls that are not answered with 403; a 403 must have the envelope. */
async function findAdmitted(
  routes: readonly { readonly method: string; readonly path: string }[],
  caller: Key,
): Promise<string[]> {
  const found: string[] = [];
  for (const { method, path } of routes) {
    // These requests name unknown records and have no body, so an admitted call does nothing.
    const answer = await call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '999999999'), caller);
    if (answer.status === 403) expectError(answer, 403, 'FORBIDDEN');
    else found.push(`${method} ${path}`);
  }
  return found;
}

describe('a key with toolsetId', () => {
  row(
    'completion.administration.35',
    'is 403 everywhere but at what the clarifications list, and at every method of another toolset',
    async () => {
      const expected = OPEN.filter((it) => !it.includes('/v1/toolsets/'));
      expect(await findAdmitted(guarded, key)).toEqual(expected);
      const declared = guarded.filter((route) => route.toolsetKeys !== undefined);
      expect(declared.map(({ method, path }) => `${method} ${path}`)).toEqual(OPEN);
      for (const path of ['', '/tools']) {
        expect((await get(`/v1/toolsets/${toolsetId}${path}`, key)).status).toBe(200);
        for (const other of [another, randomUUID(), 'no-guid'])
          expectError(await get(`/v1/toolsets/${other}${path}`, key), 403, 'FORBIDDEN');
      }
    },
  );

  row(
    'completion.administration.35',
    'writes no toolset, workflow or approval, and sends no request of its own, whatever the body',
    async () => {
      const body = { name: 'Wider', connections: [{ connectionId: outside }] };
      const approval = `/v1/approvals/${randomUUID()}`;
      for (const answer of [
        await post('/v1/toolsets', body, key),
        await patch(`/v1/toolsets/${toolsetId}`, { policy: null, tools: null }, key),
        await del(`/v1/toolsets/${toolsetId}`, key),
        await get('/v1/toolsets', key),
        await post('/v1/workflows', { name: 'Mine', slug: 'mine', steps: [] }, key),
        await patch(`/v1/workflows/${workflowToken}`, { name: 'Mine' }, key),
        await post(`${approval}/approve`, undefined, key),
        await post(`${approval}/reject`, undefined, key),
        await post(`/v1/connections/${inside}/request`, { method: 'GET', path: '/' }, key),
        await post('/v1/connect-sessions', { endUserId: 'customer-1' }, key),
        await get('/v1/connections', key),
        await post('/admin/v1/api-keys', { name: 'Free' }, key),
      ])
        expectError(answer, 403, 'FORBIDDEN');
      expect((await get(`/v1/toolsets/${toolsetId}`, account)).body.name).toBe('Held');
    },
  );

  row(
    'completion.administration.35',
    'executes as with its toolset in the query, and with no other toolset there',
    async () => {
      expectError(await execute(CREATE, {}, key), 403, 'TOOL_NOT_IN_TOOLSET');
      const explicit = { connectionId: String(outside) };
      expectError(await execute(LIST, explicit, key), 403, 'CONNECTION_NOT_IN_TOOLSET');
      for (const other of [another, randomUUID()])
        expectError(await execute(LIST, { toolsetId: other }, key), 403, 'FORBIDDEN');
      expectError(
        await post(`/v1/tools/${LIST}/execute?toolsetId=${toolsetId}&toolsetId=${another}`, {}, key),
        403,
        'FORBIDDEN',
      );
      expectError(await get(`/v1/tools/${LIST}?toolsetId=${another}`, key), 403, 'FORBIDDEN');
      const answer = expectStatus(await execute(LIST, {}, key), 200);
      expect(answer.body).toMatchObject({
        isSuccess: true,
        executionInfo: { connectionId: inside, connectionResolution: 'toolset' },
      });
      await executeTools(LIST, { toolsetId }, key);
      // The workflow is a tool of this toolset only.
      await executeTools(workflowSlug, {}, key);
      expectError(await execute(workflowSlug, {}, account), 404, 'NOT_FOUND');
    },
  );

  row(
    'completion.administration.35',
    'sees its own executions only, steps of its runs among them, in list, detail and after a row',
    async () => {
      const mine = await createApiKey(account, { toolsetId });
      const [before, own, run] = [
        await executeTools(LIST, { toolsetId }, account),
        await executeTools(LIST, {}, mine),
        await executeTools(workflowSlug, {}, mine),
      ];
      const sibling = await executeTools(LIST, {}, key);
      const ids = async (query: string, caller: Key | TestAccount = mine) => {
        const { items, totalCount } = expectList(await get(`/v1/executions?top=100${query}`, caller));
        expect(totalCount).toBe(items.length);
        return items.map(({ historyId }) => historyId);
      };
      const all = await ids('');
      expect(all).toHaveLength(3);
      expect(all).toEqual(expect.arrayContaining([own, run]));
      expect(await ids(`&toolSlug=${LIST}`)).toHaveLength(2);
      expect(await ids(`&connectionId=${inside}&isSuccess=true`)).toHaveLength(2);
      expect(await ids(`&toolSlug=${LIST}&connectionId=${outside}`)).toEqual([]);
      expect(await ids(`&after=${run}`)).toEqual([own]);
      expect(await ids(`&after=${sibling}`)).toEqual([]);
      expect((await get(`/v1/executions/${own}`, mine)).status).toBe(200);
      for (const others of [before, sibling])
        expectError(await get(`/v1/executions/${others}`, mine), 404, 'NOT_FOUND');
      expect(await ids('', account)).toEqual(expect.arrayContaining([before, sibling, ...all]));
    },
  );

  row('completion.administration.35', 'has only the files that it made itself', async () => {
    const upload = async (caller: Key | TestAccount): Promise<string> => {
      const headers = { 'content-type': 'text/plain' };
      return expectStatus(await post('/v1/files', undefined, { ...caller, raw: 'text', headers }), 201).body
        .fileId;
    };
    const sibling = await createApiKey(account, { toolsetId });
    const [own, others, siblings] = [await upload(key), await upload(account), await upload(sibling)];
    expect((await get(`/v1/files/${own}`, key)).status).toBe(200);
    for (const fileId of [others, siblings]) {
      expectError(await get(`/v1/files/${fileId}`, key), 404, 'NOT_FOUND');
      expectError(await del(`/v1/files/${fileId}`, key), 404, 'NOT_FOUND');
    }
    for (const fileId of [own, others, siblings])
      expect((await get(`/v1/files/${fileId}`, account)).status).toBe(200);
    expect((await del(`/v1/files/${own}`, key)).status).toBe(204);
  });

  row(
    'completion.administration.35',
    'gets no answer that its user got by the same Idempotency-Key, nor the reverse',
    async () => {
      const headers = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } });
      const path = `/v1/tools/${LIST}/execute`;
      const historyIds: number[] = [];
      const [first, second] = [randomUUID(), randomUUID()];
      const sibling = await createApiKey(account, { toolsetId });
      for (const [caller, name] of [
        [account, first],
        [key, first],
        [sibling, first],
        [key, second],
        [account, second],
      ] as const) {
        const answer = expectStatus(await post(path, {}, { ...caller, ...headers(name) }), 200);
        expect(answer.headers.get('idempotency-replayed')).toBeNull();
        historyIds.push(answer.body.historyId);
      }
      expect(new Set(historyIds).size).toBe(historyIds.length);
      const again = await post(path, {}, { ...key, ...headers(first) });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.body.historyId).toBe(historyIds[1]);
    },
  );

  row(
    'completion.administration.36',
    'ends with its toolset within two seconds, and no other key does',
    async () => {
      const [doomed, others] = [await toolset({}), await toolset({})];
      const ending = [
        await createApiKey(account, { toolsetId: doomed }),
        await createApiKey(account, { toolsetId: doomed, scopes: ['tools.read'] }),
      ];
      const staying = await createApiKey(account, { toolsetId: others });
      for (const it of [...ending, staying]) expect((await get('/v1/auth/whoami', it)).status).toBe(200);
      expectStatus(await del(`/v1/toolsets/${doomed}`, account), 204);
      for (const it of ending) {
        await expect
          .poll(async () => (await get('/v1/auth/whoami', it)).status, { timeout: 90_000 })
          .toBe(401);
        expectError(await execute(LIST, {}, it), 401, 'UNAUTHORIZED');
      }
      expect((await get('/v1/auth/whoami', staying)).status).toBe(200);
      const listed = expectList(await get('/admin/v1/api-keys?top=100', account)).items.map(({ id }) => id);
      expect(listed).toContain(staying.id);
      for (const { id } of ending) expect(listed).not.toContain(id);
      expectError(
        await post('/admin/v1/api-keys', { name: 'Late', toolsetId: doomed }, account),
        404,
        'NOT_FOUND',
      );
      expectError(await del(`/v1/toolsets/${doomed}`, account), 404, 'NOT_FOUND');
    },
  );

  row(
    'completion.administration.36',
    'never outlives its toolset, however many are created while it is deleted',
    async () => {
      const doomed = await toolset({});
      const body = { name: 'Racing', toolsetId: doomed };
      const creations = Array.from({ length: 12 }, () => post('/admin/v1/api-keys', body, account));
      await Promise.race(creations);
      expectStatus(await del(`/v1/toolsets/${doomed}`, account), 204);
      const created = (await Promise.all(creations)).filter(({ status }) => status === 201);
      for (const { body: made } of created)
        await expect.poll(async () => (await get('/v1/auth/whoami', made)).status).toBe(401);
      const listed: Answer = await get('/admin/v1/api-keys?top=100', account);
      expect(expectList(listed).items.filter((it) => it.toolsetId === doomed)).toEqual([]);
    },
  );
});

describe('a key with scopes', () => {
  row(
    ['completion.administration.34', 'completion.auth-and-people.11'],
    'may call what these permissions allow and its user has, and nothing of /admin/v1',
    async () => {
      const scopes = ['tools.read', 'triggers.write'];
      const scoped = await createApiKey(account, { scopes });
      const expected = guarded
        .filter(({ permission }) => permission === undefined || scopes.includes(permission))
        .map(({ method, path }) => `${method} ${path}`);
      expect(await findAdmitted(guarded, scoped)).toEqual(expected);
      const whole = await createApiKey(account, {
        scopes: (await get('/v1/auth/whoami', account)).body.permissions,
      });
      const administration = guarded.filter(({ path }) => path.startsWith('/admin/v1'));
      expect(administration.length).toBeGreaterThan(10);
      expect(await findAdmitted(administration, whole)).toEqual([]);
    },
  );

  row(
    'completion.administration.34',
    'gains nothing by a scope that its user lacks, and follows the role of its user',
    async () => {
      expectStatus(await patch('/admin/v1/account', { isRbacEnabled: true }, account), 200);
      const { userId } = await createUser(account, { role: 'member' });
      const scopes = ['tools.execute', 'tools.write'];
      const scoped = await createApiKey(account, { userId, scopes });
      const permissions = async () => (await get('/v1/auth/whoami', scoped)).body.permissions;
      await expect.poll(permissions).toEqual(['tools.execute']);
      expectError(await post('/v1/toolsets', { name: 'Mine' }, scoped), 403, 'FORBIDDEN');
      expectStatus(await patch(`/admin/v1/users/${userId}`, { role: 'developer' }, account), 200);
      await expect.poll(permissions).toEqual(['tools.write', 'tools.execute']);
      expectStatus(await patch('/admin/v1/account', { isRbacEnabled: false }, account), 200);
    },
  );

  row(
    ['completion.administration.34', 'completion.administration.35'],
    'and toolsetId is limited by both',
    async () => {
      const both = await createApiKey(account, { scopes: ['tools.read', 'tools.write'], toolsetId });
      expect((await get(`/v1/toolsets/${toolsetId}`, both)).status).toBe(200);
      expectError(await execute(LIST, {}, both), 403, 'FORBIDDEN');
      expectError(await patch(`/v1/toolsets/${toolsetId}`, { name: 'Mine' }, both), 403, 'FORBIDDEN');
    },
  );
});
