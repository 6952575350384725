import { expect, it } from 'vitest';
import { ManualClock } from './clock.ts';

it('a manual clock stands still until it is advanced', () => {
  const clock = new ManualClock(new Date(1_000));
  const before = clock.now();
  clock.advance(500);
  expect(before.getTime()).toBe(1_000);
  expect(clock.now().getTime()).toBe(1_500);
});
