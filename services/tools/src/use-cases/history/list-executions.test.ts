import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { RETENTION_SECONDS } from '../../domain/execution.ts';
import type { Execution, ExecutionFilter } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';
import { execution } from '../../testing/executions.ts';
import { listExecutions } from './list-executions.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const KEPT_SINCE = new Date(NOW.getTime() - RETENTION_SECONDS * 1_000);

/** Lists a history with these rows; returns the list and the queries. */
async function listRows(items: readonly Execution[], filter: ExecutionFilter = {}, after?: number) {
  const asked: Parameters<History['list']>[] = [];
  const history: Pick<History, 'list' | 'has'> = {
    has: (_ctx, accountId, { historyId, since }) =>
      Promise.resolve(accountId === 'acc_1' && historyId === 7 && since.getTime() === KEPT_SINCE.getTime()),
    list(...query) {
      asked.push(query);
      return Promise.resolve({ items, totalCount: 10 });
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  const page = { offset: 5, top: 25 };
  const list = await listExecutions({ history, clock: new ManualClock(NOW) }, ctx, { filter, page, after });
  const [[, accountId, query] = []] = asked;
  return { list, accountId, query };
}

test('a page holds rows of the caller’s account, with the number of all matches', async () => {
  const { list, accountId, query } = await listRows([execution()], { toolSlug: 'crm-list-contacts' });
  expect(list).toEqual({ items: [execution()], totalCount: 10 });
  expect(accountId).toBe('acc_1');
  expect(query).toMatchObject({ filter: { toolSlug: 'crm-list-contacts' }, page: { offset: 5, top: 25 } });
});

test('no row past its retention is requested, whatever the filter says', async () => {
  const later = new Date(KEPT_SINCE.getTime() + 1);
  expect((await listRows([])).query?.filter.from).toEqual(KEPT_SINCE);
  expect((await listRows([], { from: new Date(0) })).query?.filter.from).toEqual(KEPT_SINCE);
  expect((await listRows([], { from: later, to: NOW })).query?.filter).toEqual({ from: later, to: NOW });
});

test('a list after a row of the account is of the rows older than it; after any other, it is empty', async () => {
  const { list, query } = await listRows([execution()], { toolSlug: 'a' }, 7);
  expect(list.totalCount).toBe(10);
  expect(query).toMatchObject({ after: 7, filter: { toolSlug: 'a' } });
  expect(await listRows([execution()], {}, 8)).toMatchObject({ list: { items: [], totalCount: 0 } });
});
