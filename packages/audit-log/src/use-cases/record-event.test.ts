import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditEvent, FetchedEvent } from '../domain/event.ts';
import { createAuditLog } from './record-event.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const KEY = `fairlead_${'Ab1'.repeat(12)}xy`;

function setUp(open: readonly string[] | Error = ['acc_1', 'acc_7']) {
  const entries: AuditEntry[] = [];
  const inserts: number[] = [];
  const lookups: (readonly string[])[] = [];
  const audit = createAuditLog({
    store: {
      insert(entry) {
        entries.push(entry);
        return Promise.resolve();
      },
      insertMissing(missing) {
        entries.push(...missing);
        inserts.push(missing.length);
        return Promise.resolve();
      },
    },
    findOpenAccounts(accountIds) {
      lookups.push(accountIds);
      return open instanceof Error ? Promise.reject(open) : Promise.resolve(new Set(open));
    },
    fingerprint: (accountId, secret) => Promise.resolve(`${accountId}-${secret.length}`),
    clock: new ManualClock(NOW),
    retentionMs: 1_000,
  });
  return { audit, entries, inserts, lookups };
}

const event: AuditEvent = {
  accountId: 'acc_1',
  actor: { kind: 'user', userId: 'usr_1' },
  action: 'createConnection',
  outcome: 'succeeded',
  requestId: 'req-1',
};

const fetched = (entryId: string, o: Partial<AuditEvent> = {}): FetchedEvent => ({
  entryId,
  occurredAt: NOW,
  event: { ...event, ...o },
});

test('an event becomes an entry of its account with a time and an end', async () => {
  const { audit, entries } = setUp();
  await audit.record({ ...event, resource: { type: 'connection', id: '7' }, details: { members: ['name'] } });
  expect(entries).toEqual([
    {
      id: expect.stringMatching(/^aud_[0-9A-Za-z]{22}$/) as unknown,
      accountId: 'acc_1',
      createdAt: NOW,
      expiresAt: new Date(NOW.getTime() + 1_000),
      actor: { kind: 'user', userId: 'usr_1' },
      action: 'createConnection',
      resource: { type: 'connection', id: '7' },
      outcome: 'succeeded',
      requestId: 'req-1',
      details: '{"members":["name"]}',
    },
  ]);
});

test('what looks like a secret is kept as its fingerprint, wherever it stands', async () => {
  const { audit, entries } = setUp();
  await audit.record({
    ...event,
    resource: { type: 'mcpServer', id: 'mcp_0123456789abcdefghij' },
    requestId: KEY,
    details: { note: `the key ${KEY}`, [KEY]: 1 },
  });
  expect(entries[0]).toMatchObject({
    resource: { type: 'mcpServer', id: 'hmac:acc_1-24' },
    requestId: 'hmac:acc_1-47',
    details: '{"note":"the key hmac:acc_1-47","hmac:acc_1-47":1}',
  });
});

test('a client secret pasted into a path is stored as its fingerprint', async () => {
  const { audit, entries } = setUp();
  const secret = `fairlead_secret_${'a'.repeat(43)}`;
  await audit.record({ ...event, resource: { type: 'oauthClient', id: secret } });
  expect(entries[0]?.resource).toEqual({ type: 'oauthClient', id: 'hmac:acc_1-59' });
});

test('an operator’s action on an account is in both logs; any other action without an account is in the platform’s', async () => {
  const { audit, entries } = setUp();
  const { accountId: _none, ...rest } = event;
  const operator = { ...rest, accountId: undefined, actor: { kind: 'operator' } } as const;
  await audit.record({ ...operator, resource: { type: 'account', id: 'acc_7' } });
  await audit.record(operator);
  await audit.record({
    ...rest,
    accountId: undefined,
    actor: { kind: 'system' },
    resource: { type: 'account', id: 'acc_7' },
  });
  expect(entries.map(({ accountId }) => accountId)).toEqual(['platform', 'acc_7', 'platform', 'platform']);
});

test('nothing is kept in the log of an account that is being erased or never was, the platform’s keeps it', async () => {
  const { audit, entries } = setUp([]);
  await audit.record(event);
  await audit.record({
    ...event,
    accountId: undefined,
    actor: { kind: 'operator' },
    resource: { type: 'account', id: 'acc_1' },
  });
  expect(entries.map(({ accountId }) => accountId)).toEqual(['platform']);
});

test('while nobody knows whether an account is open, recording in its log is an error and writes nothing there', async () => {
  const { audit, entries } = setUp(new Error('identity is away'));
  await expect(audit.record(event)).rejects.toThrow('identity is away');
  expect(entries).toEqual([]);
  await audit.record({ ...event, accountId: undefined, actor: { kind: 'operator' } });
  expect(entries.map(({ accountId }) => accountId)).toEqual(['platform']);
});

test('an entry that cannot be written is an error for who records', async () => {
  const audit = createAuditLog({
    store: {
      insert: () => Promise.reject(new Error('away')),
      insertMissing: () => Promise.reject(new Error('away')),
    },
    findOpenAccounts: (ids) => Promise.resolve(new Set(ids)),
    fingerprint: () => Promise.resolve(''),
    clock: new ManualClock(NOW),
    retentionMs: 1_000,
  });
  await expect(audit.record(event)).rejects.toThrow('away');
  await expect(audit.recordFetched([fetched('aud_1')])).rejects.toThrow('away');
});

describe('events that were fetched', () => {
  test('become entries with their own ids and times, kept from then on', async () => {
    const { audit, entries } = setUp();
    const occurredAt = new Date(NOW.getTime() - 400);
    await audit.recordFetched([{ ...fetched('aud_1'), occurredAt }]);
    expect(entries).toMatchObject([
      { id: 'aud_1', accountId: 'acc_1', createdAt: occurredAt, action: 'createConnection' },
    ]);
    expect(entries[0]?.expiresAt).toEqual(new Date(NOW.getTime() + 600));
  });

  test('are masked like any other', async () => {
    const { audit, entries } = setUp();
    await audit.recordFetched([fetched('aud_1', { requestId: KEY, details: { note: KEY } })]);
    expect(entries[0]).toMatchObject({ requestId: 'hmac:acc_1-47', details: '{"note":"hmac:acc_1-47"}' });
  });

  test('are kept of open accounts and of the platform only, at one look-up and one write for all', async () => {
    const { audit, entries, lookups, inserts } = setUp(['acc_1']);
    await audit.recordFetched([
      fetched('aud_1'),
      fetched('aud_2', { accountId: 'acc_erased' }),
      fetched('aud_3', { accountId: undefined }),
      fetched('aud_4'),
    ]);
    expect(entries.map(({ id, accountId }) => [id, accountId])).toEqual([
      ['aud_1', 'acc_1'],
      ['aud_3', 'platform'],
      ['aud_4', 'acc_1'],
    ]);
    expect({ lookups, inserts }).toEqual({ lookups: [['acc_1', 'acc_erased']], inserts: [3] });
  });

  test('do not reappear once their entries have expired', async () => {
    const { audit, entries, inserts } = setUp();
    await audit.recordFetched([{ ...fetched('aud_1'), occurredAt: new Date(NOW.getTime() - 1_000) }]);
    expect({ entries, inserts }).toEqual({ entries: [], inserts: [] });
  });
});
