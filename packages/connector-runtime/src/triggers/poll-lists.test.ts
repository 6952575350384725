import { describe, expect, it } from 'vitest';
import type { RequestPollRecipe } from '@fairlead/connector-model/trigger-recipes';
import type { ToolOutcome } from '../call.ts';
import { testCredential, testMethod, testOptions, testRequest } from '../testing/calls.ts';
import { testRuntime, testVendor } from '../testing/vendor.ts';
import type { PollCursor } from './poll-cursor.ts';
import { MAX_NEW_ITEMS } from './poll.ts';
import type { PollRead } from './poll.ts';
import { triggerTool } from './trigger-tool.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const NOW = new Date(START + 3_600_000);
const EMPTY: PollCursor = { since: null, known: [] };

interface Thing {
  readonly id: string;
  readonly at?: string;
  readonly text?: string;
}

function thing(id: string, second: number): Thing {
  return { id, at: new Date(START + second * 1000).toISOString() };
}

const recipe: RequestPollRecipe = {
  request: testRequest('/things', { query: { since: '{{cursor.since}}' } }),
  paging: {
    type: 'cursor',
    sizeQuery: 'top',
    pageSize: 100,
    cursorQuery: 'cursor',
    nextCursorPointer: '/next',
    maxPages: 50,
  },
  itemsPointer: '/items',
  idPointer: '/id',
  timePointer: '/at',
  overlapSeconds: 60,
};

/** Polls a vendor that has these items, in this order. */
async function vendor(
  list: readonly Thing[],
  members: Partial<RequestPollRecipe>,
): Promise<(cursor?: PollCursor) => Promise<ToolOutcome>> {
  const { connector } = await testVendor(({ query }) => {
    const found = list.filter(({ at = '' }) => at === '' || at >= (query.get('since') ?? ''));
    const from = Number(query.get('cursor') ?? 0);
    const next = from + Number(query.get('top'));
    return { body: { items: found.slice(from, next), next: next < found.length ? String(next) : null } };
  });
  return (cursor = EMPTY) => {
    const trigger = { type: 'poll', recipe: { ...recipe, ...members }, now: NOW, cursor } as const;
    const tool = triggerTool({ slug: 'acme-thing-created' }, trigger);
    const parts = { connector, method: testMethod(), credential: testCredential(), fields: {} };
    return testRuntime().execute({ ...parts, filters: [], sorts: [], tool }, testOptions());
  };
}

function readOf(outcome: ToolOutcome): PollRead {
  if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
  return outcome.output as unknown as PollRead;
}

const idsOf = (read: PollRead): unknown[] =>
  read.items.map(({ payload }) => (JSON.parse(payload) as Thing).id);

describe('a poll of a list with the newest item first', () => {
  it('reads it to its end each time, and fires what one read holds, the oldest first', async () => {
    const list = Array.from({ length: MAX_NEW_ITEMS * 2 + 7 }, (_, index) => thing(`t${index}`, index));
    const huge = { ...thing('huge', 900), text: 'x'.repeat(800_000) };
    const sorted = [...list, huge].toSorted((a, b) => (b.at ?? '').localeCompare(a.at ?? ''));
    const poll = await vendor(sorted, { isNewestFirst: true });
    const reads: PollRead[] = [];
    let cursor = EMPTY;
    for (let hasMore = true; hasMore;) {
      const read = readOf(await poll(cursor));
      reads.push(read);
      ({ cursor, hasMore } = read);
    }
    expect(reads.flatMap(idsOf)).toEqual(list.map(({ id }) => id));
    // The item that is too large takes a place.
    expect(reads.map(({ items }) => items.length)).toEqual([MAX_NEW_ITEMS, MAX_NEW_ITEMS - 1, 8]);
    expect(reads.flatMap(({ gaps }) => gaps)).toMatchObject([{ from: huge.at }]);
    expect(idsOf(readOf(await poll(cursor)))).toEqual([]);
  });

  it('loses no item for a newer one that is known', async () => {
    const list = [thing('c', 59), thing('b', 30), thing('a', 1)];
    const poll = await vendor(list, { isNewestFirst: true });
    const known = `c@${START + 59_000}`;
    const read = readOf(await poll({ since: new Date(START).toISOString(), known: [known] }));
    expect(idsOf(read)).toEqual(['a', 'b']);
    expect(read.cursor.known).toContain(known);
  });
});

describe('an item without a time', () => {
  const list = [thing('a', 1), { id: 'deleted' }, thing('b', 2)];

  it('is passed over if the vendor has such items', async () => {
    const poll = await vendor(list, { isTimeOptional: true });
    expect(idsOf(readOf(await poll()))).toEqual(['a', 'b']);
  });

  it('is an error of the vendor otherwise', async () => {
    const poll = await vendor(list, {});
    expect(await poll()).toMatchObject({ errorMessage: 'Acme sent an item without an id or a time.' });
  });
});
