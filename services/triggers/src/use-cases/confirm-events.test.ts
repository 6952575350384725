import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import type { StreamState } from '../ports/event-stream.ts';
import { capturedEvent } from '../testing/firings.ts';
import { confirmEvents } from './confirm-events.ts';
import type { Checkpoint } from './confirm-events.ts';

const NOW = new Date('2026-11-22T10:00:10.000Z');

/** Minimal outbox, stream and ledger. */
function world() {
  const rows = new Map<string, Date>();
  const ledger = new Set<string>();
  const asked: string[][] = [];
  const publications: string[][] = [];
  const bodiless = new Set<string>();
  const lost: string[] = [];
  const clock = new ManualClock(NOW);
  const stream: { state: StreamState; isFull: boolean } = {
    state: { createdAt: 'one', firstSequence: 1, lastSequence: 0, messages: 0 },
    isFull: false,
  };
  let checkpoint: Checkpoint | undefined;
  return {
    rows,
    ledger,
    asked,
    publications,
    bodiless,
    lost,
    clock,
    stream,
    look: async (): Promise<void> => {
      checkpoint = await confirmEvents(
        {
          outbox: {
            async *pending(_now, until) {
              const due = [...rows].filter(([, at]) => at <= until).map(([id]) => ({ id, eventIds: [id] }));
              yield await Promise.resolve(due);
            },
            read: (ids) => {
              const read = ids.filter((id) => rows.has(id) && !bodiless.has(id));
              return Promise.resolve(read.map((id) => capturedEvent(id)));
            },
            confirm: (ids) => Promise.resolve(ids.forEach((id) => void rows.delete(id))),
          },
          stream: {
            state: () => Promise.resolve(stream.state),
            publish: (events) => {
              if (stream.isFull) return Promise.reject(new Error('full'));
              publications.push(events.map(({ id }) => id));
              return Promise.resolve();
            },
          },
          ledger: {
            findMissing: (ids) => {
              asked.push([...ids]);
              return Promise.resolve(ids.filter((id) => !ledger.has(id)));
            },
          },
          reportLost: (ids) => void lost.push(...ids),
          mayContinue: () => Promise.resolve(true),
          clock,
        },
        checkpoint,
      );
    },
  };
}

const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

test('what the ledger has is confirmed; what it lacks is published again', async () => {
  const { rows, ledger, publications, look } = world();
  for (const id of ['te_1', 'te_2', 'te_3']) rows.set(id, before(5));
  ledger.add('te_1').add('te_3');
  await look();
  expect([...rows.keys()]).toEqual(['te_1', 'te_2', 'te_3']);
  await look();
  expect([...rows.keys()]).toEqual(['te_2']);
  expect(publications).toEqual([['te_2']]);
});

test('while the ledger is behind, however long, nothing is asked and nothing published again', async () => {
  const { rows, stream, asked, publications, clock, look, ledger } = world();
  stream.state = { createdAt: 'one', firstSequence: 7, lastSequence: 9, messages: 3 };
  rows.set('te_1', before(5));
  for (let minute = 0; minute < 20; minute += 1) {
    await look();
    clock.advance(60_000);
    const { lastSequence, messages } = stream.state;
    stream.state = { ...stream.state, lastSequence: lastSequence + 1, messages: messages + 1 };
    rows.set(`te_later_${minute}`, clock.now());
  }
  expect([asked, publications]).toEqual([[], []]);
  stream.state = { ...stream.state, firstSequence: 10 };
  ledger.add('te_1');
  await look();
  expect(asked).toEqual([['te_1']]);
  expect(publications).toEqual([]);
  expect(rows.has('te_1')).toBe(false);
});

test('a stream that was made anew is not waited for: all that it held is asked about', async () => {
  const { rows, stream, publications, look } = world();
  stream.state = { createdAt: 'one', firstSequence: 1, lastSequence: 9, messages: 9 };
  rows.set('te_1', before(5));
  await look();
  stream.state = { createdAt: 'two', firstSequence: 1, lastSequence: 3, messages: 3 };
  await look();
  expect(publications).toEqual([['te_1']]);
});

test('an event that its replica may still be publishing is left to it', async () => {
  const { rows, clock, asked, look } = world();
  rows.set('te_1', before(1));
  await look();
  await look();
  expect(asked).toEqual([[]]);
  clock.advance(2_000);
  await look();
  await look();
  expect(asked.at(-1)).toEqual(['te_1']);
});

test('a full stream keeps nothing from being tried again, in small messages', async () => {
  const { rows, stream, publications, look } = world();
  for (let at = 0; at < 100; at += 1) rows.set(`te_${at}`, before(5));
  await look();
  stream.isFull = true;
  await expect(look()).rejects.toThrow('full');
  stream.isFull = false;
  await look();
  expect(publications.map(({ length }) => length)).toEqual([64, 36]);
});

test('a stream that was restored to an earlier state does not hold the outbox up, although it has messages', async () => {
  const { rows, stream, publications, look } = world();
  stream.state = { createdAt: 'one', firstSequence: 90, lastSequence: 99, messages: 10 };
  await look();
  rows.set('te_1', before(5));
  stream.state = { createdAt: 'one', firstSequence: 10, lastSequence: 14, messages: 5 };
  await look();
  expect(publications).toEqual([['te_1']]);
});

test('an event without a body that the ledger has lost is reported once', async () => {
  const { rows, ledger, bodiless, lost, publications, look } = world();
  for (const id of ['te_1', 'te_2', 'te_3']) rows.set(id, before(5));
  for (const id of ['te_1', 'te_2']) bodiless.add(id);
  ledger.add('te_1');
  await look();
  await look();
  await look();
  expect(lost).toEqual(['te_2']);
  expect([...rows.keys()]).toEqual(['te_3']);
  expect(publications).toEqual([['te_3'], ['te_3']]);
});
