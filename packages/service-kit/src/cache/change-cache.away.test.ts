import { ApiError } from '@fairlead/errors/api-error';
import { MongoNetworkError, MongoOperationTimeoutError } from 'mongodb';
import { describe, expect, test, vi } from 'vitest';
import { openCachedSource, openStaleSource } from '../testing/cached-source.ts';
import type { SourceValue } from '../testing/cached-source.ts';

const CHANGED: SourceValue = { scope: 'a', text: 'new' };
const NOT_FOUND: SourceValue = { scope: undefined, text: 'none' };
const UNAVAILABLE = new ApiError('UNAVAILABLE', 'away');

describe('while its source is away, a change cache', () => {
  test.each([
    UNAVAILABLE,
    new ApiError('TIMEOUT', 'slow'),
    new MongoNetworkError('away'),
    new MongoOperationTimeoutError('slow'),
  ])('uses an old value for exactly the configured time: %s', async (failure) => {
    const { call, pass, answerWith } = await openStaleSource();
    answerWith(failure);
    await pass(569_999);
    expect(await call()).toEqual({ got: 'old', afterMs: 0 });
    await pass(1);
    expect(await call()).toEqual({ got: String(failure), afterMs: 0 });
  });

  test('uses no old value for a failure of a source that is there', async () => {
    const { call, pass, answerWith } = await openStaleSource();
    const failure = new ApiError('INTERNAL', 'bug');
    answerWith(failure);
    expect(await call()).toMatchObject({ got: String(failure) });
    await pass(500);
    expect(await call()).toMatchObject({ got: String(failure) });
  });

  test('waits for a source that answers in time', async () => {
    const { call, pass, answerWith } = openCachedSource();
    await call();
    await call('other');
    await pass(30_000);
    answerWith(CHANGED, 249);
    expect(await call()).toEqual({ got: 'new', afterMs: 249 });
    expect(await call()).toEqual({ got: 'new', afterMs: 0 });
    await pass(1);
    expect(await call('other')).toEqual({ got: 'new', afterMs: 249 });
  });

  test('waits for a slow source only for its patience; what it loads at last is used', async () => {
    const { call, pass, source, answerWith } = await openStaleSource();
    answerWith(CHANGED, 5_000);
    expect(await call()).toEqual({ got: 'old', afterMs: 250 });
    await pass(4_749);
    expect(await call()).toEqual({ got: 'old', afterMs: 0 });
    await pass(1);
    expect(await call()).toEqual({ got: 'new', afterMs: 0 });
    expect(source.loads).toBe(1);
  });

  test('shares one reload among simultaneous callers', async () => {
    const { ask, call, source, answerWith } = await openStaleSource();
    answerWith(CHANGED, 100);
    expect(await Promise.all([ask(), call()])).toMatchObject([{ got: 'new' }, { got: 'new' }]);
    expect(source.loads).toBe(1);
  });

  test.each([
    { how: 'failed', failure: UNAVAILABLE, latencyMs: 0 },
    { how: 'was too slow', failure: UNAVAILABLE, latencyMs: 5_000 },
  ])(
    'waits for no reload in the second after one of any key $how, but still tries each',
    async ({ failure, latencyMs }) => {
      const { call, open, pass, source, answerWith } = openCachedSource();
      const { call: callOther } = open();
      await call();
      await call('other');
      await callOther();
      await pass(30_000);
      answerWith(failure, latencyMs);
      await call();
      answerWith(CHANGED, 100);
      expect(await call('other')).toEqual({ got: 'old', afterMs: 0 });
      expect(await callOther()).toEqual({ got: 'old', afterMs: 0 });
      expect(source.loads).toBe(2);
      await pass(100);
      expect(await call('other')).toEqual({ got: 'new', afterMs: 0 });
      expect(await callOther()).toEqual({ got: 'new', afterMs: 0 });
    },
  );

  test('waits again for a reload when a second has passed', async () => {
    const { call, pass, answerWith } = openCachedSource();
    await call();
    await call('other');
    await pass(30_000);
    answerWith(UNAVAILABLE);
    await call();
    answerWith(CHANGED, 100);
    await pass(1_000);
    expect(await call('other')).toEqual({ got: 'new', afterMs: 100 });
  });

  test('tries each key once per second', async () => {
    const { call, pass, source, answerWith } = openCachedSource();
    await call();
    await call('other');
    await pass(30_000);
    answerWith(UNAVAILABLE);
    for (let i = 0; i < 5; i += 1) {
      expect(await call()).toEqual({ got: 'old', afterMs: 0 });
      await pass(100);
    }
    expect(source.loads).toBe(1);
    // A failure for one key does not delay the next attempt for another.
    await call('other');
    await pass(500);
    await call();
    expect(source.loads).toBe(3);
  });

  test('uses the new value within a second after the source is back', async () => {
    const { call, pass, answerWith } = await openStaleSource();
    answerWith(UNAVAILABLE);
    await call();
    answerWith(CHANGED);
    expect(await call()).toMatchObject({ got: 'old' });
    await pass(1_000);
    expect(await call()).toMatchObject({ got: 'new' });
  });

  test('handles the failure of a reload that nobody waits for', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { call, pass, source, answerWith } = openCachedSource();
    await call();
    await call('other');
    await pass(30_000);
    answerWith(UNAVAILABLE);
    await call('other');
    answerWith(new ApiError('INTERNAL', 'bug'), 100);
    expect(await call()).toEqual({ got: 'old', afterMs: 0 });
    await pass(100);
    process.off('unhandledRejection', unhandled);
    expect(source.loads).toBe(1);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('keeps old values although others are loaded, up to the configured number', async () => {
    const { call, pass, answerWith } = openCachedSource({ maxEntries: 2 });
    await call('1');
    await call('2');
    await pass(60_000);
    await call('3');
    answerWith(UNAVAILABLE);
    expect(await call('2')).toMatchObject({ got: 'old' });
    expect(await call('1')).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('does not use that a record was not found', async () => {
    const { call, pass, answerWith } = openCachedSource();
    answerWith(NOT_FOUND);
    await call();
    await pass(29_999);
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: 'none' });
    await pass(1);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('does not use the value of a record that was not found again', async () => {
    const { call, pass, answerWith } = await openStaleSource();
    answerWith(NOT_FOUND);
    expect(await call()).toMatchObject({ got: 'none' });
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: 'none' });
    await pass(30_000);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });
});

describe('while its source is away and changes may have been missed, a change cache', () => {
  test.each([undefined, 2])('uses no old value (session: %s)', async (session) => {
    const { call, setSession, answerWith } = await openStaleSource();
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: 'old' });
    setSession(session);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('uses a value that is younger than two seconds', async () => {
    const { call, pass, setSession, answerWith } = openCachedSource();
    await call();
    setSession(undefined);
    answerWith(UNAVAILABLE);
    await pass(1_999);
    expect(await call()).toMatchObject({ got: 'old' });
    await pass(1);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('waits for the load even if the old value stood in for it before', async () => {
    const { call, setSession, source, answerWith } = await openStaleSource();
    answerWith(CHANGED, 1_000);
    expect(await call()).toMatchObject({ got: 'old' });
    setSession(undefined);
    expect(await call()).toEqual({ got: 'new', afterMs: 750 });
    expect(source.loads).toBe(1);
  });

  test('uses no old value for a caller who waits when the session ends', async () => {
    const { ask, pass, setSession, answerWith } = await openStaleSource();
    answerWith(UNAVAILABLE, 100);
    const asked = ask();
    await pass(50);
    setSession(undefined);
    await pass(50);
    expect(await asked).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('does not wait longer than two seconds for a load that another caller started', async () => {
    const { ask, call, pass, setSession, answerWith } = await openStaleSource();
    setSession(undefined);
    answerWith(UNAVAILABLE, 60_000);
    void ask();
    await pass(2_000);
    answerWith(CHANGED);
    expect(await call()).toEqual({ got: 'new', afterMs: 0 });
  });

  test('uses old values again when it is certain that nothing was missed', async () => {
    const { call, setSession, answerWith } = await openStaleSource();
    setSession(undefined);
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
    setSession(1);
    expect(await call()).toMatchObject({ got: 'old' });
  });

  test('waits for no old reload when it is certain again that nothing was missed', async () => {
    const { ask, call, pass, setSession, answerWith } = await openStaleSource();
    answerWith(CHANGED, 5_000);
    void ask();
    setSession(undefined);
    await pass(2_000);
    setSession(1);
    expect(await call()).toEqual({ got: 'old', afterMs: 0 });
  });
});
