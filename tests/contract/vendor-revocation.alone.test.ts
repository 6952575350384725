import { describe, expect, vi } from 'vitest';
import { createApiKey, createUser, expectStatus } from './support/accounts.ts';
import { del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import { row } from './support/row.ts';
import { authorizedState, Visitor } from './support/sign-in.ts';

const SOON = { timeout: 90_000, interval: 250 };

const execute = (tool: string): ReturnType<typeof post> => post(`/v1/tools/${tool}/execute`, {});

// Alone, because the vendor revokes the grants and expires the tokens of all accounts.
describe('a connection by sign-in', () => {
  row(
    ['connections-and-sign-in.10', 'completion.connections.59', 'completion.applications-and-tools.46'],
    'its access token is refreshed after the vendor expired it, unseen by the caller',
    async () => {
      const oauthState = await authorizedState();
      const body = {
        applicationSlug: 'sandbox-crm',
        connectionName: 'OAuth',
        authenticationId: 0,
        fields: {},
        oauthState,
      };
      expect((await post('/v1/connections', body)).status).toBe(201);
      expect((await execute('sandbox-crm-whoami')).body).toMatchObject({ isSuccess: true });
      await vendorAdmin('expire-tokens');
      const after = await execute('sandbox-crm-whoami');
      expect(after.body, after.text).toMatchObject({ isSuccess: true });
      await vendorAdmin('revoke-grants');
      await vendorAdmin('expire-tokens');
      const revoked = await execute('sandbox-crm-whoami');
      expect(revoked.body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringMatching(/sign in|authenticat/i),
      });
      const { connectionId } = revoked.body.executionInfo;
      expect((await get(`/v1/connections/${connectionId}`)).body.status).toBe('NeedsReauthentication');
      for (const triggerTypeSlug of ['sandbox-crm-contact-created', 'sandbox-crm-deal-updated']) {
        const refused = await post('/v1/triggers', { name: 'Refused', triggerTypeSlug, connectionId });
        expectError(refused, 400, 'VALIDATION_ERROR', ['connectionId']);
        expect(refused.body.details[0].issue).toMatch(/sign in|authenticat/i);
      }
    },
  );

  row(
    ['completion.connections.61', 'completion.connections.64'],
    'says why it needs a new sign-in, and since when, until it has one',
    async () => {
      const body = { applicationSlug: 'sandbox-crm', connectionName: 'Refused', authenticationId: 0 };
      const oauthState = await authorizedState();
      const { body: created } = expectStatus(await post('/v1/connections', { ...body, oauthState }), 201);
      expect(created).toMatchObject({
        status: 'Active',
        statusReason: null,
        statusChangedAt: created.createdAt,
      });
      await vendorAdmin('revoke-grants');
      await vendorAdmin('expire-tokens');
      const path = `/v1/connections/${created.id}`;
      expect((await post(`${path}/test`)).body).toMatchObject({ isSuccess: false });
      const { body: refused } = await get(path);
      expect(refused).toMatchObject({
        status: 'NeedsReauthentication',
        statusReason: expect.stringMatching(/grant/),
      });
      expect(Date.parse(refused.statusChangedAt)).toBeGreaterThan(Date.parse(created.statusChangedAt));
      const again = { connectionName: 'Signed in again', oauthState: await authorizedState() };
      const { body: repaired } = expectStatus(await put(path, again), 200);
      expect(repaired).toMatchObject({ id: created.id, status: 'Active', statusReason: null });
      expect(Date.parse(repaired.statusChangedAt)).toBeGreaterThan(Date.parse(refused.statusChangedAt));
    },
  );
});

describe('a shared connection of an MCP server whose sign-in has expired', () => {
  row(
    'completion.mcp-servers.16',
    'is renewed by a link that only the caller can open, or else the error says who can',
    async () => {
      const body = { applicationSlug: 'sandbox-crm', connectionName: 'Of everybody', authenticationId: 0 };
      const oauthState = await authorizedState();
      const { id } = expectStatus(await post('/v1/connections', { ...body, oauthState }), 201).body;
      const server = { name: 'Shared', connections: [{ connectionId: id }] };
      const { mcpServerToken } = expectStatus(await post('/admin/v1/mcpservers', server), 201).body;
      const user = await createUser(stack.account, { role: 'member' });
      const confined = { userId: user.userId, scopes: ['tools.execute'] };
      const { apiKey: key } = await createApiKey(stack.account, confined);
      const params = { name: 'sandbox-crm-whoami', arguments: {} };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const call = async (apiKey: string) =>
        (await post(`${stack.mcpUrl}/${mcpServerToken}/mcp`, message, { apiKey })).body.result;
      expect(await call(key)).not.toHaveProperty('isError');
      await vendorAdmin('revoke-grants');
      await vendorAdmin('expire-tokens');

      const { isError, content, _meta: meta } = await call(key);
      expect([isError, meta]).toEqual([true, undefined]);
      expect(content[0].text).toMatch(/"Of everybody" \(\d+\) has expired.*connections\.write/);

      const link = String((await call(user.apiKey))._meta['dev.fairlead/connectUrl']);
      const visitor = new Visitor();
      const { email, password } = user;
      const page = await visitor.submit(await visitor.open(link), { email, password }, /Sign in/);
      expect([page.status, page.url.pathname]).toEqual([200, expect.stringContaining('/connect/sessions/')]);
      const again = { connectionName: 'Of everybody', oauthState: await authorizedState() };
      expectStatus(await put(`/v1/connections/${id}`, again), 200);
      expect(await call(key)).not.toHaveProperty('isError');
    },
  );
});

describe('triggers of changes of connections', () => {
  row(
    ['completion.triggers.16', 'completion.triggers.18', 'events.1'],
    'fire when a connection needs a new sign-in, and when it has one, each with the reason or none',
    async () => {
      const create = async (triggerTypeSlug: string): Promise<string> =>
        String(expectStatus(await post('/v1/triggers', { name: 'Told', triggerTypeSlug }), 201).body.id);
      const needs = await create('connection_needs_reauthentication');
      const recovered = await create('connection_recovered');
      const payloads = (triggerId: string): Promise<readonly unknown[]> =>
        vi.waitFor(async () => {
          const { items } = expectList(await get(`/v1/triggers/events?triggerId=${triggerId}`));
          const own = items.filter(({ payload }) => payload.connectionId === id);
          expect(own.length).toBeGreaterThan(0);
          return own.map(({ payload }) => payload);
        }, SOON);
      const body = { applicationSlug: 'sandbox-crm', connectionName: 'Watched', authenticationId: 0 };
      const created = await post('/v1/connections', { ...body, oauthState: await authorizedState() });
      const { id } = expectStatus(created, 201).body;
      await vendorAdmin('revoke-grants');
      await vendorAdmin('expire-tokens');
      expect((await post(`/v1/connections/${id}/test`)).body).toMatchObject({ isSuccess: false });
      const change = { connectionId: id, applicationSlug: 'sandbox-crm', endUserId: null };
      expect(await payloads(needs)).toEqual([{ ...change, reason: expect.stringMatching(/grant/) }]);
      const again = { connectionName: 'Watched', oauthState: await authorizedState() };
      expectStatus(await put(`/v1/connections/${id}`, again), 200);
      expect(await payloads(recovered)).toEqual([{ ...change, reason: null }]);
      expect(await payloads(needs)).toHaveLength(1);
      for (const triggerId of [needs, recovered]) expectStatus(await del(`/v1/triggers/${triggerId}`), 204);
    },
  );
});

describe('the deletion of a connection by sign-in', () => {
  row(
    ['completion.connections.41', 'completion.connections.66'],
    'is answered at once and revokes its grant at the vendor, and no other one',
    async () => {
      const body = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
      const connect = async (connectionName: string): Promise<number> => {
        const oauthState = await authorizedState();
        return expectStatus(await post('/v1/connections', { ...body, connectionName, oauthState }), 201).body
          .id;
      };
      const kept = await connect('Kept');
      const deleted = await connect('Deleted');
      const before = await grants();
      expectStatus(await del(`/v1/connections/${deleted}`), 204);
      await expect.poll(grants, { timeout: 90_000 }).toBe(before - 1);
      expect((await post(`/v1/connections/${kept}/test`)).body).toMatchObject({ isSuccess: true });
    },
  );
});

row(
  'completion.sandbox-crm.20',
  'the vendor can be taken down, slowed and limited by its admin API, besides losing its grants and tokens',
  async () => {
    const fields = { apiToken: stack.sandboxCrm.apiKey };
    const direct = { applicationSlug: 'sandbox-crm', connectionName: 'Direct', authenticationId: 1, fields };
    const { id } = expectStatus(await post('/v1/connections', direct), 201).body;
    const whoami = async () =>
      (await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`, {})).body;
    try {
      await vendorAdmin('down');
      expect(await whoami()).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringMatching(/503|down/),
      });
      await vendorAdmin('up');
      expect(await whoami()).toMatchObject({ isSuccess: true });
      await vendorAdmin('delay', { delayMs: 400 });
      const slow = await whoami();
      expect(slow).toMatchObject({ isSuccess: true });
      expect(slow.executionInfo.durationMs).toBeGreaterThanOrEqual(400);
      await vendorAdmin('delay', { delayMs: 0 });
      await vendorAdmin('rate-limit', { requestsPerSecond: 1 });
      const limited = await Promise.all(Array.from({ length: 20 }, fetchWhoami));
      expect(limited).toContain(429);
    } finally {
      for (const [action, body] of [
        ['up', {}],
        ['delay', { delayMs: 0 }],
        ['rate-limit', { requestsPerSecond: null }],
      ] as const)
        await vendorAdmin(action, body);
    }
    expect(await whoami()).toMatchObject({ isSuccess: true });
  },
);

/** The status of a call to the vendor's own API. */
async function fetchWhoami(): Promise<number> {
  const headers = { 'x-api-token': stack.sandboxCrm.apiKey };
  return (await fetch(`${stack.sandboxCrm.url}/api/whoami`, { headers })).status;
}

/** Number of grants at the vendor. */
async function grants(): Promise<number> {
  const headers = { 'x-admin-key': stack.sandboxCrm.adminKey };
  const answer = await fetch(`${stack.sandboxCrm.url}/admin/api/state`, { headers });
  return ((await answer.json()) as { grants: number }).grants;
}

async function vendorAdmin(action: string, body: object = {}): Promise<void> {
  const answer = await fetch(`${stack.sandboxCrm.url}/admin/api/${action}`, {
    method: 'POST',
    headers: { 'x-admin-key': stack.sandboxCrm.adminKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok)
    throw new Error(`The vendor's admin API answered ${answer.status} to ${action}: ${await answer.text()}`);
}
