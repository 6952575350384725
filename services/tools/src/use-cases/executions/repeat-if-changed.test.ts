import { expect, test } from 'vitest';
import { CallChanged } from '../../domain/call-changed.ts';
import { repeatIfChanged } from './repeat-if-changed.ts';

const failing = (...errors: Error[]) => {
  const calls: number[] = [];
  const call = () => {
    calls.push(calls.length);
    const error = errors.shift();
    return error === undefined ? Promise.resolve('done') : Promise.reject(error);
  };
  return { calls, call };
};

test('a call that has changed is made anew, three times at most', async () => {
  const once = failing(new CallChanged());
  expect(await repeatIfChanged(once.call)).toBe('done');
  expect(once.calls).toHaveLength(2);
  const always = failing(new CallChanged(), new CallChanged(), new CallChanged(), new CallChanged());
  await expect(repeatIfChanged(always.call)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(always.calls).toHaveLength(3);
});

test('a call that fails otherwise is not made anew', async () => {
  const broken = failing(new Error('broken'));
  await expect(repeatIfChanged(broken.call)).rejects.toThrow('broken');
  expect(broken.calls).toHaveLength(1);
});
