import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { Progress } from './progress.ts';

const report = (progress: unknown) => ({ progress: LazyJson.of(progress) });

test('progress only rises, and is a number', () => {
  const progress = new Progress();
  const accepted = [0, 0.5, 0.5, 0.1, 'x', null, 2].map((value) => progress.accept(report(value)));
  expect(accepted).toEqual([true, true, false, false, false, false, true]);
  expect(progress.accept({})).toBe(false);
});

test('a tool without progress rises by hardly anything, so that its own first report still counts', () => {
  const progress = new Progress();
  expect(progress.repeat(10_000)).toEqual({ progress: 0.000001, message: 'Running for 10 s.' });
  expect(progress.repeat(20_000)).toEqual({ progress: 0.000002, message: 'Running for 20 s.' });
  expect(progress.accept(report(0.01))).toBe(true);
});

test('the last report is repeated with a higher value, however high it is', () => {
  const progress = new Progress();
  progress.accept({ progress: 1e12, total: 2e12, message: 'Copying.' });
  const repeated = progress.repeat(10_000);
  expect(repeated).toMatchObject({ total: 2e12, message: 'Copying.' });
  expect(repeated['progress']).toBeGreaterThan(1e12);
});
