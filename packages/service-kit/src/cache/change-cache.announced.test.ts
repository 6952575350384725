import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import { openCachedSource } from '../testing/cached-source.ts';
import type { SourceValue } from '../testing/cached-source.ts';

const FOUND: SourceValue = { scope: 'a', text: 'old' };
const NOT_FOUND: SourceValue = { scope: undefined, text: 'none' };
const UNAVAILABLE = new ApiError('UNAVAILABLE', 'away');

/** `announce` and `end` are the two messages about a change; `isHeld`: whether the source is away afterwards. */
function setUp() {
  const source = openCachedSource();
  const { call, change, pass, answerWith } = source;
  const announce = (scope: string | undefined, id = '1'): void => change(scope, { id, isDone: false });
  const end = (scope: string | undefined, id = '1'): void => change(scope, { id, isDone: true });
  /** Loads the value, makes the source unavailable until the value is no longer fresh, and reads again. */
  const isHeld = async (): Promise<boolean> => {
    answerWith(FOUND);
    await call();
    answerWith(UNAVAILABLE);
    await pass(40_000);
    const { got } = await call();
    answerWith(FOUND);
    return got === 'old';
  };
  return { ...source, announce, end, isHeld };
}

describe('when a change is announced and its end is reported, a change cache', () => {
  test('uses for ten minutes what was requested after the end', async () => {
    const { call, pass, announce, end, answerWith } = setUp();
    announce('a');
    await pass(10);
    end('a');
    await call();
    answerWith(UNAVAILABLE);
    await pass(599_999);
    expect(await call()).toMatchObject({ got: 'old' });
    await pass(1);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
  });

  test('drops at both messages', async () => {
    const { call, source, announce, end } = setUp();
    await call();
    for (const message of [announce, end]) {
      message('a');
      await call();
      await call();
    }
    expect(source.loads).toBe(3);
  });

  test.each([
    ['value', FOUND],
    ['absence', NOT_FOUND],
  ])('uses a %s for its whole lifetime after the end, before it for two seconds', async (_, answer) => {
    const { call, pass, source, announce, end, answerWith } = setUp();
    answerWith(answer);
    announce('a');
    await call();
    await pass(2_000);
    await call();
    expect(source.loads).toBe(2);
    end('a');
    await call();
    await pass(29_999);
    await call();
    expect(source.loads).toBe(3);
  });

  test.each([0, 5_000])(
    'never uses longer what was requested before the end and arrives %i ms later',
    async (latencyMs) => {
      const { ask, call, pass, announce, end, answerWith } = setUp();
      announce('a');
      answerWith(FOUND, latencyMs);
      const asked = ask();
      await pass(0);
      end('a');
      await pass(latencyMs);
      expect(await asked).toMatchObject({ got: 'old' });
      answerWith(UNAVAILABLE);
      expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
    },
  );

  test('ends a change of everything, too', async () => {
    const { announce, end, isHeld } = setUp();
    announce(undefined);
    expect(await isHeld()).toBe(false);
    announce(undefined);
    end(undefined);
    expect(await isHeld()).toBe(true);
  });
});

describe('when changes of a scope overlap, a change cache', () => {
  test.each([
    ['1', '2'],
    ['2', '1'],
  ])('waits for the end of every one (%s first)', async (first, second) => {
    const { announce, end, isHeld } = setUp();
    announce('a', '1');
    announce('a', '2');
    end('a', first);
    expect(await isHeld()).toBe(false);
    announce('a', '1');
    announce('a', '2');
    end('a', first);
    end('a', second);
    expect(await isHeld()).toBe(true);
  });

  test('uses an absence for two seconds while a change of any scope is open', async () => {
    const { call, pass, source, announce, end, answerWith } = setUp();
    answerWith(NOT_FOUND);
    announce('b');
    announce('a');
    end('a');
    await call();
    await pass(2_000);
    await call();
    expect(source.loads).toBe(2);
  });

  test('waits the whole time for one whose message does not identify it', async () => {
    const { change, announce, end, isHeld } = setUp();
    change('a');
    announce('a');
    end('a');
    expect(await isHeld()).toBe(false);
    expect(await isHeld()).toBe(true);
  });

  test('waits the whole time for what exceeds the limit of open changes', async () => {
    const { announce, end, isHeld } = setUp();
    const ids = Array.from({ length: 33 }, (_, i) => String(i));
    for (const id of ids.slice(1)) announce('a', id);
    for (const id of ids.slice(1)) end('a', id);
    expect(await isHeld()).toBe(true);
    for (const id of ids) announce('a', id);
    for (const id of ids) end('a', id);
    expect(await isHeld()).toBe(false);
  });

  test('does not count changes whose time is over to that limit', async () => {
    const { pass, announce, end, isHeld } = setUp();
    for (let id = 0; id < 32; id += 1) announce('a', `lost ${id}`);
    await pass(30_000);
    announce('a');
    end('a');
    expect(await isHeld()).toBe(true);
  });
});

describe('when a message is lost or late, a change cache', () => {
  test('uses longer only what was requested when the write can no longer follow', async () => {
    const { pass, announce, isHeld } = setUp();
    announce('a');
    await pass(29_999);
    expect(await isHeld()).toBe(false);
    announce('a');
    await pass(30_000);
    expect(await isHeld()).toBe(true);
  });

  test('drops at an end that was not announced', async () => {
    const { call, end, isHeld, answerWith } = setUp();
    await call();
    end('a');
    answerWith(UNAVAILABLE);
    expect(await call()).toMatchObject({ got: String(UNAVAILABLE) });
    expect(await isHeld()).toBe(true);
  });

  test.each([
    ['another change', 'a', '2'],
    ['another scope', 'b', '1'],
  ])('does not take the end of %s for the lost one', async (_, scope, id) => {
    const { announce, end, isHeld } = setUp();
    announce('a', '1');
    end(scope, id);
    expect(await isHeld()).toBe(false);
  });

  test('waits the whole time after an announcement that follows its end', async () => {
    const { announce, end, isHeld } = setUp();
    end('a');
    announce('a');
    expect(await isHeld()).toBe(false);
    expect(await isHeld()).toBe(true);
  });

  test('waits anew after a change that is announced again, as after a failed write', async () => {
    const { pass, announce, isHeld, end } = setUp();
    announce('a');
    await pass(20_000);
    announce('a');
    await pass(20_000);
    expect(await isHeld()).toBe(false);
    announce('a');
    announce('a');
    end('a');
    expect(await isHeld()).toBe(true);
  });

  test('does not count scopes whose changes are over to its limit', async () => {
    const { announce, end, isHeld } = setUp();
    announce('a');
    for (let scope = 0; scope < 1_000; scope += 1) {
      announce(`c${scope}`);
      end(`c${scope}`);
    }
    end('a');
    expect(await isHeld()).toBe(true);
  });

  test('stays on the safe side for scopes that exceed its limit', async () => {
    const { pass, announce, end, isHeld } = setUp();
    announce('b');
    await pass(10);
    for (let scope = 0; scope < 999; scope += 1) announce(`c${scope}`);
    expect(await isHeld()).toBe(true);
    announce('b');
    await pass(10);
    for (let scope = 0; scope < 1_000; scope += 1) announce(`c${scope}`);
    end('b');
    expect(await isHeld()).toBe(false);
    expect(await isHeld()).toBe(true);
  });
});
