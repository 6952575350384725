import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { AccountDomain, ExportedRecords } from '../ports/account-domain.ts';
import { exportAccount } from './export-account.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const account = { id: 'acc_1', name: 'Acme' };

function domain(...pages: readonly ExportedRecords[]): AccountDomain {
  return {
    name: 'test',
    async *read() {
      yield* pages;
    },
    erase: () => Promise.resolve(true),
  };
}

async function exportLines(data: AccountDomain, domains: readonly AccountDomain[]): Promise<unknown> {
  const identity = { getAccount: () => Promise.resolve(account), data };
  let text = '';
  for await (const piece of exportAccount(
    { identity, domains, clock: new ManualClock(NOW) },
    testContext(),
    'acc_1',
  ))
    text += piece;
  return JSON.parse(text) as unknown;
}

test('an export is one JSON object with the account and an array for each kind, pages joined, empty ones too', async () => {
  const identity = domain(
    { collection: 'users', records: ['{"id":"usr_1"}'] },
    { collection: 'apiKeys', records: [] },
  );
  const domains = [
    domain(
      { collection: 'connections', records: ['{"id":1}', '{"id":2}'] },
      { collection: 'connections', records: [] },
      { collection: 'connections', records: ['{"id":3}'] },
      { collection: 'files', records: [] },
    ),
    domain(
      { collection: 'executions', records: [] },
      { collection: 'executions', records: ['{"historyId":1}'] },
    ),
    domain(),
  ];
  expect(await exportLines(identity, domains)).toEqual({
    exportedAt: NOW.toISOString(),
    account,
    users: [{ id: 'usr_1' }],
    apiKeys: [],
    connections: [{ id: 1 }, { id: 2 }, { id: 3 }],
    files: [],
    executions: [{ historyId: 1 }],
  });
});

test('an unknown account is NOT_FOUND before the first piece', async () => {
  const identity = { getAccount: () => Promise.reject(notFound('account')), data: domain() };
  const pieces = exportAccount(
    { identity, domains: [], clock: new ManualClock(NOW) },
    testContext(),
    'acc_0',
  );
  await expect(pieces.next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a domain is read only as fast as the export is', async () => {
  let read = 0;
  const slow: AccountDomain = {
    name: 'slow',
    async *read() {
      for (;;) {
        read += 1;
        yield await Promise.resolve({ collection: 'rows', records: ['{}'] });
      }
    },
    erase: () => Promise.resolve(true),
  };
  const identity = { getAccount: () => Promise.resolve(account), data: domain() };
  const pieces = exportAccount(
    { identity, domains: [slow], clock: new ManualClock(NOW) },
    testContext(),
    'acc_1',
  );
  for (let piece = 0; piece < 10; piece += 1) await pieces.next();
  expect(read).toBeLessThan(10);
  await pieces.return(undefined);
});
