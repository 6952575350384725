import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { createAdmissionChecks } from './admission-checks.ts';

function setUp() {
  const time = new VirtualTime(0);
  const checked: [string, number][] = [];
  let change: (accountId: string) => void = () => undefined;
  const checks = createAdmissionChecks({
    streams: [
      { checkAccount: async (accountId) => Promise.resolve(void checked.push([accountId, time.nowMs])) },
    ],
    subscribe: (onChange) => void (change = onChange),
    timers: time.timers(() => true),
  });
  return { time, checked, checks, change: (accountId: string) => change(accountId) };
}

test('changes of an account within a second share one check, and a later one causes another', async () => {
  const { time, checked, change } = setUp();
  for (const accountId of ['acc_1', 'acc_2', 'acc_1']) change(accountId);
  await time.runUntil(500);
  change('acc_1');
  await time.runUntil(1_500);
  change('acc_1');
  await time.runUntil(10_000);
  expect(checked).toEqual([
    ['acc_1', 1_000],
    ['acc_2', 1_000],
    ['acc_1', 2_500],
  ]);
});

test('nothing is checked once it is closed', async () => {
  const { time, checked, checks, change } = setUp();
  change('acc_1');
  checks.close();
  change('acc_2');
  await time.runUntil(10_000);
  expect(checked).toEqual([]);
});
