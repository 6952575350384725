import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { createTokenLimit } from './token-limit.ts';

test('a known token may send 60 at once, then one each 200 ms; any other is not counted', () => {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const tokens = createTokenLimit({ clock });
  expect(tokens.take('a')).toBeUndefined();
  for (const token of ['a', 'b', 'a']) tokens.add(token);
  const waits = Array.from({ length: 62 }, () => tokens.take('a'));
  expect(waits).toEqual([...Array.from({ length: 60 }, () => 0), 200, 200]);
  expect(tokens.take('b')).toBe(0);
  clock.advance(200);
  expect([tokens.take('a'), tokens.take('a')]).toEqual([0, 200]);
  tokens.remove('a');
  expect(tokens.take('a')).toBeUndefined();
});

test('keeps 20,000 tokens, those used last', () => {
  const tokens = createTokenLimit({ clock: new ManualClock(new Date('2026-01-01T00:00:00Z')) });
  for (let count = 0; count < 20_000; count += 1) tokens.add(`t${count}`);
  tokens.take('t0');
  tokens.add('one more');
  expect([tokens.take('t0'), tokens.take('t1'), tokens.take('t2')]).toEqual([0, undefined, 0]);
});
