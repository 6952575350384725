import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { describe, expect, test } from 'vitest';
import type { FetchedEvent } from '../domain/event.ts';
import type { EventPage, UnreadableEvent } from '../ports/event-source.ts';
import type { FetchPosition } from '../ports/fetch-positions.ts';
import { fetchEvents } from './fetch-events.ts';
import type { FetchEventsDeps } from './fetch-events.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const BEFORE = new Date(NOW.getTime() - 60_000);

const event = (entryId: string): FetchedEvent => ({
  entryId,
  occurredAt: NOW,
  event: {
    accountId: 'acc_1',
    actor: { kind: 'system' },
    action: 'a',
    outcome: 'succeeded',
    requestId: 'req-1',
  },
});

/** The last page of the log. */
const lastPage = (nextCursor: string, ...ids: string[]): EventPage => ({
  events: ids.map(event),
  unreadable: [],
  nextCursor,
  hasMore: false,
});

/** A source of these pages by cursor, a position, and a lease that is held for this many pages. */
function setUp(o: {
  readonly pages: Readonly<Record<string, EventPage>>;
  readonly position?: FetchPosition;
  readonly leaseLasts?: number;
}) {
  const { pages, leaseLasts = Number.POSITIVE_INFINITY } = o;
  /** The steps, in the order in which they happened. */
  const steps: string[] = [];
  const unreadable: UnreadableEvent[] = [];
  let position = o.position;
  let holds = 0;
  const deps: FetchEventsDeps = {
    source: {
      name: 'identity',
      read(_ctx, cursor, limit) {
        steps.push(`read "${cursor}" ${limit}`);
        const page = pages[cursor];
        if (page === undefined) return Promise.reject(new ApiError('NOT_FOUND', 'too old'));
        return Promise.resolve(page);
      },
    },
    positions: {
      find: () => Promise.resolve(position),
      save(service, { cursor, completeAt }) {
        steps.push(`save ${service} "${cursor}"`);
        position = { cursor, completeAt: completeAt ?? position?.completeAt };
        return Promise.resolve();
      },
    },
    events: {
      recordFetched(events) {
        steps.push(`record ${events.map(({ entryId }) => entryId).join()}`);
        return Promise.resolve();
      },
    },
    lease: { hold: () => Promise.resolve((holds += 1) <= leaseLasts) },
    reportUnreadable: (one) => void unreadable.push(one),
    clock: new ManualClock(NOW),
  };
  const { log, lines } = captureLog();
  const fetch = (own: Partial<FetchEventsDeps> = {}, signal = new AbortController().signal) => {
    const caller = { kind: 'service', service: 'gateway' } as const;
    return fetchEvents({ ...deps, ...own }, createRequestContext({ requestId: 'r', caller, signal, log }));
  };
  return { deps, steps, unreadable, lines, fetch, position: () => position };
}

test('every page is written before its cursor, until nothing is left', async () => {
  const { steps, fetch, position } = setUp({
    pages: { '': { ...lastPage('c1', 'aud_1', 'aud_2'), hasMore: true }, c1: lastPage('c2', 'aud_3') },
  });
  expect(await fetch()).toEqual({ isHolder: true, completeAt: NOW });
  expect(steps).toEqual([
    'read "" 500',
    'record aud_1,aud_2',
    'save identity "c1"',
    'read "c1" 500',
    'record aud_3',
    'save identity "c2"',
  ]);
  expect(position()).toEqual({ cursor: 'c2', completeAt: NOW });
});

test('while there is nothing, the cursor is replaced every five seconds', async () => {
  const completeAt = new Date(NOW.getTime() - 4_999);
  const { steps, fetch, position } = setUp({
    pages: { c7: lastPage('c8') },
    position: { cursor: 'c7', completeAt },
  });
  expect(await fetch()).toEqual({ isHolder: true, completeAt: NOW });
  expect(steps).toEqual(['read "c7" 500', 'record ']);
  expect(position()).toEqual({ cursor: 'c7', completeAt });
  const clock = new ManualClock(new Date(NOW.getTime() + 1));
  await fetch({ clock });
  expect(position()).toEqual({ cursor: 'c8', completeAt: clock.now() });
});

test('it continues after the stored cursor, and replaces it even if there was nothing', async () => {
  const { steps, fetch, position } = setUp({
    pages: { c7: lastPage('c8') },
    position: { cursor: 'c7', completeAt: BEFORE },
  });
  await fetch();
  expect(steps[0]).toBe('read "c7" 500');
  expect(position()).toEqual({ cursor: 'c8', completeAt: NOW });
});

test('a page that cannot be written keeps its cursor', async () => {
  const { fetch, position } = setUp({ pages: { '': lastPage('c1', 'aud_1') } });
  const recordFetched = () => Promise.reject(new Error('away'));
  await expect(fetch({ events: { recordFetched } })).rejects.toThrow('away');
  expect(position()).toBeUndefined();
});

describe('an unreadable event', () => {
  const broken = { number: '4', problem: 'The action has no name.' };
  const pages = { '': { ...lastPage('c1', 'aud_1'), unreadable: [broken] } };

  test('is reported once and passed over', async () => {
    const { fetch, steps, unreadable } = setUp({ pages });
    await fetch();
    expect(unreadable).toEqual([broken]);
    expect(steps).toContain('save identity "c1"');
  });

  test('is not reported while its page is still to be written', async () => {
    const { fetch, deps, unreadable } = setUp({ pages });
    const save = () => Promise.reject(new Error('away'));
    await expect(fetch({ positions: { ...deps.positions, save } })).rejects.toThrow('away');
    expect(unreadable).toEqual([]);
  });
});

describe('a cursor that is too old', () => {
  const old = { cursor: 'old', completeAt: BEFORE };

  test('is dropped with a warning: all that is left is fetched', async () => {
    const { fetch, steps, lines } = setUp({ pages: { '': lastPage('c1', 'aud_1') }, position: old });
    await fetch();
    expect(steps).toEqual(['read "old" 500', 'read "" 500', 'record aud_1', 'save identity "c1"']);
    expect(lines()).toMatchObject([{ level: 'warn', source: 'identity' }]);
  });

  test('is the only error that is dealt with so', async () => {
    const { fetch, deps } = setUp({ pages: {}, position: old });
    const failing = (code: 'NOT_FOUND' | 'UNAVAILABLE') => ({
      source: { ...deps.source, read: () => Promise.reject(new ApiError(code, 'no')) },
    });
    await expect(fetch(failing('UNAVAILABLE'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(fetch(failing('NOT_FOUND'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('nothing is fetched while another replica has the lease; when that one was done is known', async () => {
  const { fetch, steps } = setUp({
    pages: {},
    position: { cursor: 'c7', completeAt: BEFORE },
    leaseLasts: 0,
  });
  expect(await fetch()).toEqual({ isHolder: false, completeAt: BEFORE });
  expect(steps).toEqual([]);
});

test('nothing more is fetched once the lease is lost', async () => {
  const { fetch, steps } = setUp({
    pages: { '': { ...lastPage('c1', 'aud_1'), hasMore: true } },
    leaseLasts: 1,
  });
  expect(await fetch()).toEqual({ isHolder: false, completeAt: undefined });
  expect(steps).toEqual(['read "" 500', 'record aud_1', 'save identity "c1"']);
});

test('a stop ends it before the next page', async () => {
  const { fetch, steps } = setUp({ pages: { '': lastPage('c1') } });
  await expect(fetch({}, AbortSignal.abort())).rejects.toThrow('aborted');
  expect(steps).toEqual([]);
});
