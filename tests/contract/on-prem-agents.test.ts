import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { call, del, expectError, expectList, get, patch, post, put, stack } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const path = '/v1/on-prem-agents';
const REQUEST = '/v1/tools/onprem-http-request/execute';
const DEFAULTS = { parallelTasks: 10, pullPeriodSeconds: 10, logLevel: 'Information' };

let account: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
});
afterAll(async () => {
  await removeAccount(account);
  await removeAccount(other);
});

async function create(
  members: Record<string, unknown> = {},
  of = account,
): Promise<
  Record<string, any> & { readonly id: number; readonly token: string; readonly applicationSlug: string }
> {
  const sent = { applicationSlug: 'onprem-http', name: 'Lab', ...members };
  return expectStatus(await post(path, sent, of), 201).body;
}

const read = async (id: number) => expectStatus(await get(`${path}/${id}`, account), 200).body;

describe('An on-prem agent', () => {
  row(
    [
      'identifiers-and-naming.5',
      'on-prem-agent.1',
      'on-prem-agent.2',
      'on-prem-agents.2',
      'on-prem-agents.4',
      'completion.on-prem-agents.1',
      'completion.on-prem-agents.5',
      'completion.on-prem-agents.6',
      'completion.on-prem-agents.10',
    ],
    'is created with its token, read, listed and deleted',
    async () => {
      const { token, ...record } = await create({ name: 'Whole', settings: { logLevel: 'Debug' } });
      expect(record).toEqual({
        id: expect.any(Number),
        name: 'Whole',
        applicationSlug: 'onprem-http',
        status: 'WaitingForConnection',
        settings: { ...DEFAULTS, logLevel: 'Debug' },
        agentVersion: null,
        platform: null,
        profiles: [],
        lastSeenAt: null,
        createdAt: expect.stringMatching(/Z$/),
      });
      expect(token).toMatch(/^opa_\w{22,}$/);
      expect(await read(record.id)).toEqual(record);
      expect(expectList(await get(path, account)).items[0]).toEqual(record);
      expect(expectStatus(await get(`${path}/${record.id}/token`, account), 200).body).toEqual({ token });
      expectStatus(await del(`${path}/${record.id}`, account), 204);
      expectError(await get(`${path}/${record.id}`, account), 404, 'NOT_FOUND');
    },
  );

  row(
    ['on-prem-agents.11', 'completion.on-prem-agents.2', 'completion.on-prem-agents.4'],
    'is of an application of agents, which its slug or the first characters of one name',
    async () => {
      expect((await create({ applicationSlug: 'onprem-h' })).applicationSlug).toBe('onprem-http');
      for (const applicationSlug of ['sandbox-crm', 'none'])
        expectError(await post(path, { applicationSlug, name: 'x' }, account), 404, 'NOT_FOUND');
      expectError(await post(path, { name: 'x' }, account), 400, 'VALIDATION_ERROR', ['applicationSlug']);
      const application = { applicationSlug: 'onprem-http' };
      expectError(await post(path, application, account), 400, 'VALIDATION_ERROR', ['name']);
    },
  );

  row(
    'completion.on-prem-agents.3',
    'needs the name of its application: onprem is the beginning of several',
    async () => {
      const refused = await post(path, { applicationSlug: 'onprem', name: 'x' }, account);
      expectError(refused, 409, 'AMBIGUOUS_APPLICATION');
      const candidates = ['onprem-database', 'onprem-files', 'onprem-http'];
      expect(new Set(refused.body.candidates)).toEqual(new Set(candidates));
      for (const applicationSlug of candidates)
        expect((await create({ applicationSlug })).applicationSlug).toBe(applicationSlug);
    },
  );

  row(
    [
      'on-prem-agent.3',
      'on-prem-agent.4',
      'on-prem-agent-updates.1',
      'on-prem-agents.3',
      'on-prem-agents.8',
      'limits.17',
      'limits.18',
      'completion.on-prem-agents.13',
      'completion.on-prem-agents.14',
      'completion.on-prem-agents.15',
      'completion.on-prem-agents.16',
      'completion.on-prem-agents.17',
    ],
    'has settings, which a change merges and never clamps',
    async () => {
      const { id, settings } = await create();
      expect(settings).toEqual(DEFAULTS);
      const change = async (sent: object) => await patch(`${path}/${id}`, { settings: sent }, account);
      const changed = expectStatus(await change({ parallelTasks: 100, logLevel: 'Trace' }), 200).body;
      expect(changed).toEqual({ appliedToAgent: false, dispatchedTaskIds: [] });
      expectStatus(await change({ pullPeriodSeconds: 600 }), 200);
      expect((await read(id)).settings).toEqual({
        parallelTasks: 100,
        pullPeriodSeconds: 600,
        logLevel: 'Trace',
      });
      expectStatus(await change({ parallelTasks: null, logLevel: null }), 200);
      const kept = { ...DEFAULTS, pullPeriodSeconds: 600 };
      expect((await read(id)).settings).toEqual(kept);
      for (const [member, value] of [
        ['parallelTasks', 0],
        ['parallelTasks', 101],
        ['pullPeriodSeconds', 9],
      ] as const) {
        const refused = await change({ pullPeriodSeconds: 30, [member]: value });
        expectError(refused, 400, 'VALIDATION_ERROR', [`settings.${member}`]);
        const creation = { applicationSlug: 'onprem-http', name: 'x', settings: { [member]: value } };
        const field = [`settings.${member}`];
        expectError(await post(path, creation, account), 400, 'VALIDATION_ERROR', field);
      }
      const unknown = await change({ pullPeriodSeconds: 30, logLevel: 'Verbose' });
      expectError(unknown, 400, 'INVALID_ENUM_VALUE', ['settings.logLevel']);
      expect((await read(id)).settings).toEqual(kept);
    },
  );

  row(
    ['on-prem-agents.9', 'completion.on-prem-agents.7', 'completion.on-prem-agents.8'],
    'has its token replaced with confirm=true only',
    async () => {
      const { id, token } = await create();
      const rotate = async (query: string) => await post(`${path}/${id}/token${query}`, undefined, account);
      for (const query of ['', '?confirm=false', '?confirm=1'])
        expectError(await rotate(query), 400, 'VALIDATION_ERROR', ['confirm']);
      expect((await get(`${path}/${id}/token`, account)).body.token).toBe(token);
      const rotated = expectStatus(await rotate('?confirm=true'), 200).body.token;
      expect(rotated).toMatch(/^opa_/);
      expect(rotated).not.toBe(token);
      expect((await get(`${path}/${id}/token`, account)).body.token).toBe(rotated);
    },
  );

  row(
    ['on-prem-agents.7', 'errors.26'],
    'is the same 404 by an unknown id, another account’s and that of something else, which the error names',
    async () => {
      const foreign = (await create({}, other)).id;
      const crm = { applicationSlug: 'sandbox-crm', connectionName: 'CRM', authenticationId: 1 };
      const fields = { apiToken: stack.sandboxCrm.apiKey };
      const connection = expectStatus(await post('/v1/connections', { ...crm, fields }, account), 201);
      const messages = new Set<string>();
      for (const id of [2_000_000_000, foreign, connection.body.id as number])
        for (const answer of [
          await get(`${path}/${id}`, account),
          await patch(`${path}/${id}`, { settings: {} }, account),
          await get(`${path}/${id}/token`, account),
          await post(`${path}/${id}/token?confirm=true`, undefined, account),
          await del(`${path}/${id}`, account),
          await del(`${path}/${id}?force=true`, account),
        ]) {
          expectError(answer, 404, 'NOT_FOUND');
          messages.add(answer.body.message.replace(String(id), '{id}'));
        }
      expect([...messages]).toEqual(['The on-prem agent {id} does not exist.']);
      expectStatus(await get(`/v1/connections/${connection.body.id}`, account), 200);
    },
  );

  row(
    [
      'completion.connections.50',
      'completion.on-prem-agents.23',
      'completion.administration.15',
      'completion.administration.16',
      'completion.administration.17',
      'connections-and-sign-in.3',
    ],
    'is a connection with a licence, which only administrators see among connections',
    async () => {
      const owner = await createAccount();
      try {
        const { id } = await create({}, owner);
        const second = await create({}, owner);
        const connections = expectList(await get('/admin/v1/connections', owner)).items;
        expect(connections.map((it) => [it.id, it.kind, it.isDefault])).toEqual([
          [second.id, 'OPA', false],
          [id, 'OPA', true],
        ]);
        expect(expectList(await get('/v1/connections', owner)).totalCount).toBe(0);
        const connection = `/v1/connections/${id}`;
        for (const answer of [
          await get(connection, owner),
          await put(connection, { connectionName: 'x' }, owner),
          await put(`${connection}/default`, undefined, owner),
          await post(`${connection}/test`, undefined, owner),
          await del(connection, owner),
          await del(`${connection}?force=true`, owner),
        ])
          expectError(answer, 404, 'NOT_FOUND');
        const licence = { status: 'none', expiresAt: null };
        expectStatus(await put(`/admin/v1/connections/${id}/licence`, licence, owner), 200);
        const fields = { url: 'http://intranet.example/' };
        expectError(await post(REQUEST, { fields }, owner), 403, 'CONNECTION_BLOCKED');
      } finally {
        await removeAccount(owner);
      }
    },
  );

  row(
    'completion.on-prem-agents.24',
    'that is not online executes nothing, and the result names its status',
    async () => {
      const { id } = await create({ name: 'Asleep' });
      const fields = { url: 'http://127.0.0.1:1/' };
      const { body } = expectStatus(await post(`${REQUEST}?connectionId=${id}`, { fields }, account), 200);
      expect(body.isSuccess).toBe(false);
      expect(body.errorMessage).toContain('Asleep is WaitingForConnection');
    },
  );

  row(
    ['on-prem-agent.5', 'on-prem-agents.6', 'on-prem-agents.12', 'completion.on-prem-agents.27'],
    'has an installer, whose record is degraded where none has been built',
    async () => {
      const latest = async (query: string) =>
        expectStatus(await call('GET', `${path}/releases/latest${query}`), 200).body;
      expect(await latest('?platform=linux-arm64')).toEqual({
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        platform: 'linux-arm64',
        url: expect.stringContaining('linux-arm64'),
        sha256: null,
        sizeBytes: null,
        releasedAt: null,
        degraded: true,
      });
      const record = await latest('');
      expect(record).toEqual({
        version: '0.1.0',
        platform: 'linux-x64',
        url: `${stack.baseUrl}/downloads/fairlead-agent-0.1.0-linux-x64`,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        sizeBytes: expect.any(Number),
        releasedAt: '2026-11-29T09:00:00.000Z',
        degraded: false,
      });
      const download = await fetch(record.url);
      const bytes = Buffer.from(await download.arrayBuffer());
      expect([download.status, bytes.length, hash('sha256', bytes)]).toEqual([
        200,
        record.sizeBytes,
        record.sha256,
      ]);
      const head = await fetch(record.url, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(record.sizeBytes)]);
      for (const file of ['manifest.json', 'none', '..%2f..%2fpackage.json', ''])
        expect((await fetch(`${stack.baseUrl}/downloads/${file}`)).status).toBe(404);
      expect((await fetch(record.url, { method: 'DELETE' })).status).toBe(405);
      const unknown = await call('GET', `${path}/releases/latest?platform=beos`);
      expectError(unknown, 400, 'INVALID_ENUM_VALUE', ['platform']);
    },
  );

  row('on-prem-agents.1', 'is listed in pages that are clamped', async () => {
    await create();
    for (const [query, top, offset] of [
      ['?top=0', 1, 0],
      ['?top=1000&offset=-5', 100, 0],
    ] as const) {
      const list = expectList(await get(`${path}${query}`, account));
      expect([list.top, list.offset]).toEqual([top, offset]);
    }
    expectError(await get(`${path}?top=ten`, account), 400, 'VALIDATION_ERROR', ['top']);
  });

  row('on-prem-agent.6', 'keeps its token out of every other response', async () => {
    const { id, token } = await create();
    const seen = [await get(`${path}/${id}`, account), await get(path, account)];
    const admin = await call('GET', '/admin/v1/connections', { apiKey: account.apiKey });
    for (const { text } of [...seen, admin]) expect(text).not.toContain(token);
  });

  row('completion.connections.50', 'is used by toolsets, and deleted by force only', async () => {
    const { id } = await create();
    const toolset = { name: 'Of an agent', connections: [{ connectionId: id }] };
    const { id: toolsetId } = expectStatus(await post('/v1/toolsets', toolset, account), 201).body;
    expectError(await del(`${path}/${id}`, account), 409, 'CONNECTION_IN_USE');
    expectStatus(await del(`${path}/${id}?force=true`, account), 204);
    expect((await get(`/v1/toolsets/${toolsetId}`, account)).body.connections).toEqual([]);
  });
});
