import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import { openCachedSource, openStaleSource } from '../testing/cached-source.ts';
import type { SourceValue } from '../testing/cached-source.ts';

const FOUND: SourceValue = { scope: 'a', text: 'old' };
const CHANGED: SourceValue = { scope: 'a', text: 'new' };
const UNAVAILABLE = new ApiError('UNAVAILABLE', 'away');

describe('when a change arrives while its source is away, a change cache', () => {
  test.each(['a', undefined])('uses no old value that it concerns (scope: %s)', async (scope) => {
    const { call, change, answerWith } = await openStaleSource();
    change(scope);
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('still uses the old values of other scopes', async () => {
    const { call, change, answerWith } = await openStaleSource();
    change('b');
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: 'old' });
  });

  test('uses no value that was requested while an announced write could follow', async () => {
    const { call, change, pass, answerWith } = openCachedSource();
    change('a');
    await pass(29_999);
    await call();
    await pass(60_000);
    change('b');
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test.each([
    { how: 'fails', latencyMs: 100, announcedMs: 30_000 },
    { how: 'hangs', latencyMs: 5_000, announcedMs: 30_000 },
    { how: 'fails', latencyMs: 100, announcedMs: 0 },
    { how: 'hangs', latencyMs: 5_000, announcedMs: 0 },
  ])(
    'uses no old value for a caller who waits for a reload that $how',
    async ({ latencyMs, announcedMs }) => {
      const { ask, change, pass, answerWith } = await openStaleSource({ announcedMs });
      answerWith(UNAVAILABLE, latencyMs);
      const asked = ask();
      await pass(50);
      change('a');
      await pass(latencyMs);
      expect(await asked).toEqual({ got: String(UNAVAILABLE), afterMs: latencyMs });
    },
  );

  test('does not cache what was loaded before it', async () => {
    const { call, change, pass, answerWith } = await openStaleSource();
    answerWith(FOUND, 5_000);
    await call();
    change('a');
    await pass(5_000);
    answerWith(CHANGED);
    expect(await call()).toMatchObject({ got: 'new' });
  });

  test('keeps a new value that was loaded meanwhile', async () => {
    const { call, change, pass, source, answerWith } = await openStaleSource();
    answerWith(FOUND, 1_000);
    await call();
    change('a');
    answerWith(CHANGED);
    await call();
    await pass(1_000);
    expect(await call()).toMatchObject({ got: 'new' });
    expect(source.loads).toBe(1);
  });

  test('caches what was loaded before a change of another scope', async () => {
    const { call, change, pass, source, answerWith } = await openStaleSource();
    answerWith(CHANGED, 1_000);
    await call();
    change('b');
    await pass(1_000);
    expect(await call()).toMatchObject({ got: 'new' });
    expect(source.loads).toBe(1);
  });

  test('caches neither value if the new one has another scope, which the change may concern', async () => {
    const { call, change, pass, answerWith } = await openStaleSource();
    answerWith({ scope: 'b', text: 'moved' }, 1_000);
    await call();
    change('b');
    await pass(1_000);
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });
});
