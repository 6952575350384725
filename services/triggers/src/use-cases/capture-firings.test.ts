import type { ItemResult } from '@fairlead/service-kit/batch/batcher';
import { ManualClock } from '@fairlead/service-kit/clock';
import { inSpan, startSpan } from '@fairlead/service-kit/telemetry/tracing';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { expect, onTestFinished, test } from 'vitest';
import type { CapturedEvent } from '../domain/event.ts';
import type { CaptureResult } from '../ports/outbox.ts';
import { firing } from '../testing/firings.ts';
import { createCapture } from './capture-firings.ts';

type Result = ItemResult<CaptureResult>;
const stored = ({ id }: CapturedEvent): Result => ({ status: 'done', value: { id, isNew: true } });

/** Captures with writes that end when the test resolves them. */
function world(resultOf: (event: CapturedEvent) => Result = stored) {
  const writes: { readonly keys: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const offered: string[] = [];
  const traces: (string | undefined)[] = [];
  const capture = createCapture({
    outbox: {
      insert: (events) =>
        new Promise((resolve, reject) => {
          const end = (error?: Error): void => (error ? reject(error) : resolve(events.map(resultOf)));
          writes.push({ keys: events.map(({ firingKey }) => firingKey), end });
        }),
    },
    stream: {
      offer(events) {
        offered.push(...events.map(({ firingKey }) => firingKey));
        traces.push(...events.map(({ traceparent }) => traceparent));
      },
    },
    clock: new ManualClock(new Date('2026-11-22T10:00:00.000Z')),
  });
  return { capture, writes, offered, traces, keys: () => writes.map(({ keys }) => keys) };
}

test('calls that arrive while a write is under way share the next one, and each gets its own results', async () => {
  const { capture, writes, keys, offered } = world();
  const call = (...names: string[]) =>
    capture.captureFirings(names.map((firingKey) => firing({ firingKey })));
  const first = call('a');
  await expect.poll(keys).toEqual([['a']]);
  const others = [call('b', 'c'), call('d')];
  writes[0]?.end();
  expect(await first).toMatchObject([{ isNew: true }]);
  await expect.poll(keys).toEqual([['a'], ['b', 'c', 'd']]);
  expect(offered).toEqual(['a']);
  writes[1]?.end();
  const results = await Promise.all(others);
  expect(results.map(({ length }) => length)).toEqual([2, 1]);
  expect(offered).toEqual(['a', 'b', 'c', 'd']);
  const ids = results.flat().map(({ id }) => id);
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => /^te_[0-9A-Za-z]{22}$/.test(id))).toBe(true);
});

test('a firing that was captured before is answered with its event, and not published again', async () => {
  const { capture, writes, offered } = world((event) =>
    event.firingKey === 'old' ? { status: 'done', value: { id: 'te_first', isNew: false } } : stored(event),
  );
  const call = capture.captureFirings([firing({ firingKey: 'old' }), firing({ firingKey: 'new' })]);
  await expect.poll(() => writes.length).toBe(1);
  writes[0]?.end();
  expect(await call).toMatchObject([{ id: 'te_first', isNew: false }, { isNew: true }]);
  expect(offered).toEqual(['new']);
});

test('a call fails if one of its events is refused, and those beside it do not', async () => {
  const { capture, writes, keys } = world((event) =>
    event.firingKey === 'bad' ? { status: 'failed', error: new Error('refused') } : stored(event),
  );
  const both = Promise.allSettled(
    ['bad', 'good'].map((firingKey) => capture.captureFirings([firing({ firingKey })])),
  );
  await expect.poll(keys).toEqual([['bad', 'good']]);
  writes[0]?.end();
  expect(await both).toMatchObject([{ reason: { message: 'refused' } }, { status: 'fulfilled' }]);
});

test('nothing is published of a write that failed', async () => {
  const { capture, writes, offered } = world();
  const call = capture.captureFirings([firing()]);
  const ended = Promise.allSettled([call]);
  await expect.poll(() => writes.length).toBe(1);
  writes[0]?.end(new Error('no database'));
  expect(await ended).toMatchObject([{ reason: { message: 'no database' } }]);
  expect(offered).toEqual([]);
});

test('what would take too much memory while it waits is refused, and nothing of it captured', async () => {
  const { capture, offered } = world();
  const large = firing({ payload: Buffer.from(JSON.stringify('x'.repeat(250_000))) });
  const refusals: unknown[] = [];
  for (let at = 0; at < 300; at += 1)
    capture.captureFirings([large]).catch((error: unknown) => refusals.push(error));
  await expect.poll(() => refusals.length).toBeGreaterThan(50);
  expect(refusals[0]).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(offered).toEqual([]);
});

test('an event belongs to the trace of what caused it, which others of one call do not; otherwise to that of its capture', async () => {
  const { stop } = recordSpans();
  onTestFinished(stop);
  const { capture, writes, traces } = world();
  const span = startSpan({ name: 'capture', kind: 'server' });
  const causes = ['00-one', '00-other', ''];
  const call = inSpan(span, () =>
    capture.captureFirings(causes.map((traceparent) => firing({ firingKey: traceparent, traceparent }))),
  );
  await expect.poll(() => writes.length).toBe(1);
  writes[0]?.end();
  await call;
  expect(traces).toEqual(['00-one', '00-other', span?.headers()['traceparent']]);
});
