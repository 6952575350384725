import type { Timers } from '@fairlead/service-kit/timers';
import { expect, test } from 'vitest';
import { createListChanges } from './list-changes.ts';

function setUp() {
  const due: (() => void)[] = [];
  const timers: Timers = {
    after(_delayMs, run) {
      due.push(run);
      return { cancel: () => undefined };
    },
  };
  let publish: (accountId: string | undefined) => void = () => undefined;
  const changes = createListChanges({ subscribe: (onChange) => (publish = onChange), timers });
  const seen: string[] = [];
  const subscribe = (accountId: string, name = accountId) =>
    changes.subscribe(accountId, () => seen.push(name));
  const pass = (): void => {
    for (const run of due.splice(0)) run();
  };
  return { subscribe, seen, pass, publish: (accountId?: string) => publish(accountId) };
}

test('changes of an account reach all its subscribers, those in between as one', () => {
  const { subscribe, seen, pass, publish } = setUp();
  subscribe('a', 'first');
  subscribe('a', 'second');
  subscribe('b');
  publish('a');
  publish('a');
  expect(seen).toEqual([]);
  pass();
  expect(seen).toEqual(['first', 'second']);
  publish('a');
  pass();
  expect(seen).toHaveLength(4);
});

test('a change that may concern any account reaches all', () => {
  const { subscribe, seen, pass, publish } = setUp();
  subscribe('a');
  subscribe('b');
  publish(undefined);
  pass();
  expect(seen).toEqual(['a', 'b']);
});

test('a subscription that has ended gets nothing', () => {
  const { subscribe, seen, pass, publish } = setUp();
  const end = subscribe('a', 'first');
  subscribe('a', 'second');
  publish('a');
  end();
  pass();
  expect(seen).toEqual(['second']);
});
