import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { PollRecipe, RequestPollRecipe, SafePaging } from '@fairlead/connector-model/trigger-recipes';
import type { ToolOutcome } from '../call.ts';
import { testCredential, testMethod, testOptions, testRequest } from '../testing/calls.ts';
import type { TestResponse } from '../testing/http-server.ts';
import { testRuntime, testVendor } from '../testing/vendor.ts';
import { MAX_KNOWN_ITEMS } from './poll-cursor.ts';
import type { PollCursor } from './poll-cursor.ts';
import { MAX_NEW_ITEMS } from './poll.ts';
import type { PollRead } from './poll.ts';
import { triggerTool } from './trigger-tool.ts';
import type { TriggerExecution } from './trigger-tool.ts';

const OFFSET: SafePaging = { type: 'offset', topQuery: 'top', offsetQuery: 'skip', maxTop: 4 };
const START = Date.parse('2026-03-01T10:00:00.000Z');
const NOW = new Date(START + 3_600_000);
const EMPTY: PollCursor = { since: null, known: [] };

interface Thing {
  readonly id: string;
  readonly at: string;
  readonly text?: string;
}

function thing(id: string, second: number): Thing {
  return { id, at: new Date(START + second * 1000).toISOString() };
}

function things(count: number, secondsApart = 1): Thing[] {
  return Array.from({ length: count }, (_value, index) => thing(`t${index}`, index * secondsApart));
}

function recipe(paging: SafePaging = OFFSET, overlapSeconds = 0): PollRecipe {
  return {
    request: testRequest('/things', { query: { since: '{{cursor.since}}', colour: '{{input.colour}}' } }),
    paging,
    itemsPointer: '/items',
    idPointer: '/id',
    timePointer: '/at',
    newest: testRequest('/things', { query: { order: 'desc', top: '1' } }),
    overlapSeconds,
  };
}

/** A vendor with these items, which a test may change between requests. */
async function vendor(
  list: Thing[],
  o: {
    readonly paging?: SafePaging;
    readonly overlapSeconds?: number;
    readonly onRequest?: (n: number) => void;
  } = {},
): Promise<{
  run(
    trigger: Partial<TriggerExecution> & { type: 'poll' | 'seed' },
    fields?: JsonObject,
  ): Promise<ToolOutcome>;
  poll(cursor: PollCursor): Promise<PollRead>;
  seed(): Promise<PollCursor>;
  queries(): (string | null)[];
}> {
  const { server, connector } = await testVendor(({ query }, count): TestResponse => {
    o.onRequest?.(count);
    const since = query.get('since') ?? '';
    const found = list
      .filter(({ at }) => at >= since)
      .toSorted((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id, 'en', { numeric: true }));
    const ordered = query.get('order') === 'desc' ? found.toReversed() : found;
    const from = Number(query.get('skip') ?? query.get('cursor') ?? 0);
    const size = Number(query.get('top') ?? 4);
    const next = from + size < ordered.length ? String(from + size) : null;
    return { body: { items: ordered.slice(from, from + size), next } };
  });
  const runtime = testRuntime();
  const run: Awaited<ReturnType<typeof vendor>>['run'] = (trigger, fields = {}) =>
    runtime.execute(
      {
        connector,
        method: testMethod(),
        credential: testCredential(),
        fields,
        filters: [],
        sorts: [],
        tool: triggerTool({ slug: 'acme-thing-created' }, {
          recipe: recipe(o.paging, o.overlapSeconds),
          now: NOW,
          ...trigger,
        } as TriggerExecution),
      },
      testOptions(),
    );
  const output = async (outcome: Promise<ToolOutcome>): Promise<JsonObject> => {
    const ended = await outcome;
    if (!ended.isSuccess) throw new Error(ended.errorMessage);
    return ended.output;
  };
  return {
    run,
    poll: async (cursor) => (await output(run({ type: 'poll', cursor }))) as unknown as PollRead,
    seed: async () => (await output(run({ type: 'seed' })))['cursor'] as unknown as PollCursor,
    queries: () => server.requests.map(({ query }) => query.get('since')),
  };
}

const idsOf = (read: PollRead): unknown[] =>
  read.items.map(({ payload }) => (JSON.parse(payload) as Thing).id);

describe('a poll', () => {
  it('starts after what the vendor has, and fires what comes later, once, the oldest first', async () => {
    const list = things(9);
    const at = await vendor(list);
    const seeded = await at.seed();
    expect(await at.poll(seeded)).toMatchObject({ items: [], hasMore: false, gaps: [] });

    list.push(thing('n2', 21), thing('n1', 20));
    const read = await at.poll(seeded);
    expect(idsOf(read)).toEqual(['n1', 'n2']);
    expect(read.items[0]).toEqual({
      key: `n1@${START + 20_000}`,
      timeMs: START + 20_000,
      payload: JSON.stringify(thing('n1', 20)),
    });
    expect(idsOf(await at.poll(read.cursor))).toEqual([]);
  });

  it('fires everything of a list that was empty when it started', async () => {
    const list: Thing[] = [];
    const at = await vendor(list);
    const seeded = await at.seed();
    expect(seeded).toEqual(EMPTY);
    list.push(...things(6));
    expect(idsOf(await at.poll(seeded))).toEqual(['t0', 't1', 't2', 't3', 't4', 't5']);
    expect(at.queries()).toEqual([null, null, null]);
  });

  it('begins at a list that the vendor leaves out or answers with 204, because it has no items', async () => {
    for (const empty of [{ body: {} }, { status: 204 }] satisfies TestResponse[]) {
      const { connector } = await testVendor(() => empty);
      const execution = {
        recipe: { ...recipe(), isOmittedWhenEmpty: true },
        now: NOW,
        type: 'seed',
      } as const;
      const outcome = await testRuntime().execute(
        {
          connector,
          method: testMethod(),
          credential: testCredential(),
          fields: {},
          filters: [],
          sorts: [],
          tool: triggerTool({ slug: 'acme-thing-created' }, execution),
        },
        testOptions(),
      );
      expect(outcome).toMatchObject({ output: { cursor: EMPTY } });
    }
  });

  it('takes a time without a zone as UTC', async () => {
    const there = await vendor([{ id: 'a', at: '2026-03-01T10:00:00' }]);
    expect(await there.seed()).toMatchObject({ since: '2026-03-01T10:00:00.000Z' });
  });

  it.each([
    ['seconds', 1_000, '{{cursor.sinceSeconds}}'],
    ['milliseconds', 1, '{{cursor.sinceMilliseconds}}'],
  ] as const)(
    'reads times that are %s since 1970, and starts now without a list of the newest',
    async (unit, ms, since) => {
      const list = [0, 3_500, 4_000].map((later) => ({ id: `t${later}`, at: (NOW.getTime() + later) / ms }));
      const { server, connector } = await testVendor(({ query }) => ({
        body: {
          items: list
            .filter(({ at }) => at >= Number(query.get('since')))
            .map(({ id, at }) => ({ id, at: String(at) })),
        },
      }));
      const { newest: _newest, ...rest } = recipe(OFFSET, 1) as RequestPollRecipe;
      const polled = { ...rest, request: testRequest('/things', { query: { since } }), timeUnit: unit };
      const run = async (
        trigger: { type: 'seed'; now: Date } | { type: 'poll'; now: Date; cursor: PollCursor },
      ) => {
        const tool = triggerTool({ slug: 'acme-thing-created' }, { recipe: polled, ...trigger });
        const parts = { connector, method: testMethod(), credential: testCredential(), fields: {} };
        const outcome = await testRuntime().execute(
          { ...parts, filters: [], sorts: [], tool },
          testOptions(),
        );
        if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
        return outcome.output as unknown as PollRead;
      };
      const late = list.splice(1);
      const { cursor } = await run({ type: 'seed', now: NOW });
      list.push(...late);
      const now = new Date(NOW.getTime() + 60_000);
      expect(idsOf(await run({ type: 'poll', now, cursor }))).toEqual(['t3500', 't4000']);
      expect(server.requests.map(({ query }) => Number(query.get('since')))).toEqual([
        Math.floor((NOW.getTime() - 1_000) / ms),
        Math.floor((NOW.getTime() - 1_000) / ms),
      ]);
    },
  );

  it('finds items of the same millisecond that it has not seen', async () => {
    const list = [thing('a', 5)];
    const at = await vendor(list);
    const { cursor } = await at.poll(EMPTY);
    list.push(thing('b', 5));
    expect(idsOf(await at.poll(cursor))).toEqual(['b']);
  });

  it('finds items that appear after newer ones, as late as the overlap, and none before it', async () => {
    const list = [thing('a', 100)];
    const at = await vendor(list, { overlapSeconds: 30 });
    const { cursor } = await at.poll(EMPTY);
    list.push(thing('late', 71), thing('too late', 69));
    const read = await at.poll(cursor);
    expect(idsOf(read)).toEqual(['late']);
    expect(idsOf(await at.poll(read.cursor))).toEqual([]);
  });

  it('fires an item again when its time has changed', async () => {
    const list = [thing('a', 1), thing('b', 2)];
    const at = await vendor(list);
    const { cursor } = await at.poll(EMPTY);
    list[0] = thing('a', 3);
    expect(idsOf(await at.poll(cursor))).toEqual(['a']);
  });

  it.each<[string, SafePaging]>([
    ['offsets', OFFSET],
    [
      'cursors',
      {
        type: 'cursor',
        sizeQuery: 'top',
        pageSize: 4,
        cursorQuery: 'cursor',
        nextCursorPointer: '/next',
        maxPages: 50,
      },
    ],
  ])('reads every page by %s', async (_name, paging) => {
    const at = await vendor(things(23), { paging });
    expect(idsOf(await at.poll(EMPTY))).toHaveLength(23);
  });

  it('reads a list again that moves between two pages, so that no item is skipped', async () => {
    const list = things(12);
    // The first item disappears between the two pages, so the former 5th item is now the 4th.
    const at = await vendor(list, { onRequest: (count) => count === 2 && list.shift() });
    const read = await at.poll(EMPTY);
    expect(idsOf(read)).toEqual(
      things(12)
        .slice(1)
        .map(({ id }) => id),
    );
  });

  it('gives up on a list that never stands still, and moves no cursor', async () => {
    const list = things(400);
    const at = await vendor(list, { onRequest: () => list.shift() });
    expect(await at.run({ type: 'poll', cursor: EMPTY })).toMatchObject({
      isSuccess: false,
      errorMessage: 'The list of Acme changes faster than it can be read.',
    });
  });

  it('reads what one read cannot hold in several, without a loss', async () => {
    const paging: SafePaging = { ...OFFSET, maxTop: 100 };
    const list = things(MAX_NEW_ITEMS * 2 + 7, 0.001);
    const at = await vendor(list, { paging, overlapSeconds: 60 });
    const ids: unknown[] = [];
    let cursor = EMPTY;
    for (let hasMore = true; hasMore;) {
      const read = await at.poll(cursor);
      ids.push(...idsOf(read));
      ({ cursor, hasMore } = read);
    }
    expect(ids).toEqual(list.map(({ id }) => id));
    expect(cursor.known.length).toBeLessThanOrEqual(MAX_KNOWN_ITEMS);
  });

  it('passes over an item that is too large, and says so', async () => {
    const at = await vendor([
      thing('a', 1),
      { ...thing('huge', 2), text: 'x'.repeat(800_000) },
      thing('b', 3),
    ]);
    const read = await at.poll(EMPTY);
    expect(idsOf(read)).toEqual(['a', 'b']);
    expect(read.gaps).toMatchObject([
      { from: thing('huge', 2).at, reason: 'An item is larger than 768 KiB.' },
    ]);
    expect(idsOf(await at.poll(read.cursor))).toEqual([]);
  });

  it('is not led into the future by a time that somebody typed', async () => {
    const list = [thing('a', 1), { id: 'typed', at: '2999-01-01T00:00:00.000Z' }];
    const at = await vendor(list);
    const { cursor } = await at.poll(EMPTY);
    list.push(thing('b', 2));
    const read = await at.poll(cursor);
    expect(idsOf(read)).toEqual(['b']);
    expect(idsOf(await at.poll(read.cursor))).toEqual([]);
  });

  it('sends its configuration', async () => {
    const { server, connector } = await testVendor(() => ({ body: { items: [] } }));
    await testRuntime().execute(
      {
        connector,
        method: testMethod(),
        credential: testCredential(),
        fields: { colour: 'red' },
        filters: [],
        sorts: [],
        tool: triggerTool({ slug: 's' }, { type: 'poll', recipe: recipe(), now: NOW, cursor: EMPTY }),
      },
      testOptions(),
    );
    expect(server.requests[0]?.query.get('colour')).toBe('red');
  });

  it('keeps items as they were sent: long numbers have all their digits, in ids too', async () => {
    const at = thing('a', 1).at;
    const sent = [
      `{"id": 12345678901234567890, "at": "${at}", "total": 98765432109876543210.10}`,
      `{"id": 12345678901234567891, "at": "${at}"}`,
    ];
    const { connector } = await testVendor(() => ({
      headers: { 'content-type': 'application/json' },
      body: `{"items": [${sent.join(' , ')}]}`,
    }));
    const outcome = await testRuntime().execute(
      {
        connector,
        method: testMethod(),
        credential: testCredential(),
        fields: {},
        filters: [],
        sorts: [],
        tool: triggerTool({ slug: 's' }, { type: 'poll', recipe: recipe(), now: NOW, cursor: EMPTY }),
      },
      testOptions(),
    );
    const key = (id: string) => `${id}@${START + 1000}`;
    expect(outcome).toMatchObject({
      isSuccess: true,
      output: {
        items: [
          { key: key('12345678901234567890'), payload: sent[0] },
          { key: key('12345678901234567891'), payload: sent[1] },
        ],
        hasMore: false,
      },
    });
  });

  it.each<[string, TestResponse, RegExp]>([
    ['refuses', { status: 403, body: { error: { message: 'Not for you.' } } }, /Not for you\./],
    ['sends no list', { body: { items: 7 } }, /without the expected list/],
    ['sends items without an id', { body: { items: [{ at: thing('a', 1).at }] } }, /without an id or a time/],
    ['sends items without a time', { body: { items: [{ id: 'a', at: 'soon' }] } }, /without an id or a time/],
  ])('fails with the reason if the vendor %s', async (_what, response, message) => {
    const { connector } = await testVendor(() => response);
    for (const trigger of [
      { type: 'poll', recipe: recipe(), now: NOW, cursor: EMPTY },
      { type: 'seed', recipe: recipe(), now: NOW },
    ] as const) {
      const outcome = await testRuntime().execute(
        {
          connector,
          method: testMethod(),
          credential: testCredential(),
          fields: {},
          filters: [],
          sorts: [],
          tool: triggerTool({ slug: 's' }, trigger),
        },
        testOptions(),
      );
      expect(outcome.isSuccess ? '' : outcome.errorMessage).toMatch(message);
    }
  });
});
