import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import { openCachedSource } from '../testing/cached-source.ts';
import type { SourceValue } from '../testing/cached-source.ts';

const FOUND: SourceValue = { scope: 'a', text: 'old' };
const CHANGED: SourceValue = { scope: 'a', text: 'new' };
const NOT_FOUND: SourceValue = { scope: undefined, text: 'none' };
const UNAVAILABLE = new ApiError('UNAVAILABLE', 'away');
const MAX = 3;

/** `flood` requests more unknown keys than the cache keeps, without awaiting them. */
function setUp() {
  const source = openCachedSource({ maxEntries: MAX });
  const flood = async (answer: SourceValue | Error, latencyMs = 0): Promise<void> => {
    const { answer: before, latencyMs: latencyBefore } = source.source;
    source.answerWith(answer, latencyMs);
    for (let i = 0; i < 10 * MAX; i += 1) void source.ask(`unknown ${i}`);
    await source.pass(0);
    source.answerWith(before, latencyBefore);
  };
  return { ...source, flood };
}

describe('when more unknown keys are requested than it keeps, a change cache', () => {
  test.each([
    { what: 'that are not found', answer: NOT_FOUND, latencyMs: 0 },
    { what: 'whose loads fail', answer: UNAVAILABLE, latencyMs: 0 },
    { what: 'whose loads hang', answer: UNAVAILABLE, latencyMs: 60_000 },
  ])('keeps the values that were found: $what', async ({ answer, latencyMs }) => {
    const { call, pass, source, flood, answerWith } = setUp();
    for (const key of ['1', '2', '3']) await call(key);
    await flood(answer, latencyMs);
    for (const key of ['1', '2', '3']) expect(await call(key)).toEqual({ got: 'old', afterMs: 0 });
    expect(source.loads).toBe(0);
    await pass(30_000);
    answerWith(UNAVAILABLE);
    for (const key of ['1', '2', '3']) expect(await call(key)).toMatchObject({ got: 'old' });
  });

  test('shares the reloads of values that were found', async () => {
    const { ask, call, pass, source, flood, answerWith } = setUp();
    await call();
    await pass(30_000);
    answerWith(CHANGED, 200);
    const first = ask();
    await flood(NOT_FOUND);
    answerWith(CHANGED, 200);
    expect(await call()).toMatchObject({ got: 'new' });
    expect(await first).toMatchObject({ got: 'new' });
    expect(source.loads).toBe(0);
  });

  test('keeps a value that is first loaded meanwhile', async () => {
    const { ask, call, pass, source, flood, answerWith } = setUp();
    answerWith(FOUND, 1_000);
    void ask();
    await flood(UNAVAILABLE, 60_000);
    await pass(1_000);
    answerWith(CHANGED);
    expect(await call()).toMatchObject({ got: 'old' });
    expect(source.loads).toBe(0);
  });

  test('does not keep it if a change arrived meanwhile', async () => {
    const { ask, call, change, pass, flood, answerWith } = setUp();
    answerWith(FOUND, 1_000);
    void ask();
    await flood(UNAVAILABLE, 60_000);
    change('a');
    await pass(1_000);
    answerWith(CHANGED);
    expect(await call()).toMatchObject({ got: 'new' });
  });

  test('keeps the newer of two values that are first loaded meanwhile, whichever arrives first', async () => {
    const { ask, call, pass, flood, answerWith } = setUp();
    answerWith(FOUND, 1_000);
    void ask();
    await flood(UNAVAILABLE, 60_000);
    await pass(1);
    answerWith(CHANGED, 10);
    void ask();
    await pass(1_000);
    expect(await call()).toEqual({ got: 'new', afterMs: 0 });
  });

  test('keeps the newest of those that were not found, at most as many', async () => {
    const { call, source, flood, answerWith } = setUp();
    await flood(NOT_FOUND);
    answerWith(NOT_FOUND);
    for (const i of [27, 28, 29]) await call(`unknown ${i}`);
    expect(source.loads).toBe(0);
    await call('unknown 26');
    expect(source.loads).toBe(1);
  });

  test('counts what was not found again among the newest', async () => {
    const { call, pass, source, answerWith } = setUp();
    answerWith(NOT_FOUND);
    for (const key of ['1', '2', '3']) await call(key);
    await pass(30_000);
    for (const key of ['1', '4', '1']) await call(key);
    expect(source.loads).toBe(5);
  });

  test('finds a record that was not found before, and the other way round', async () => {
    const { call, pass, answerWith } = setUp();
    for (const answer of [NOT_FOUND, FOUND, NOT_FOUND, CHANGED]) {
      answerWith(answer);
      expect(await call()).toMatchObject({ got: answer.text });
      expect(await call()).toMatchObject({ got: answer.text });
      await pass(30_000);
    }
  });
});
