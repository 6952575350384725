import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { Listeners } from './listeners.ts';

function setUp() {
  const time = new VirtualTime(0);
  const listeners = new Listeners(time.timers(() => true));
  const state = { isAdmitted: true };
  const add = (accountId = 'acc_1', anonymousServerId?: string) =>
    listeners.add({ accountId, anonymousServerId, isStillAdmitted: () => Promise.resolve(state.isAdmitted) });
  return { time, listeners, state, add };
}

test('a client that is no longer admitted ends within a minute, and at once after a change of its account', async () => {
  const { time, listeners, state, add } = setUp();
  const [first, other] = [add(), add('acc_2')];
  await time.runUntil(120_000);
  expect(first.signal.aborted).toBe(false);
  state.isAdmitted = false;
  await listeners.checkAccount('acc_1');
  expect([first.signal.aborted, other.signal.aborted]).toEqual([true, false]);
  await time.runUntil(180_000);
  await expect.poll(() => other.signal.aborted).toBe(true);
});

test('an account has at most 1 000, and a server 100 without a credential', () => {
  const { add } = setUp();
  for (let count = 0; count < 1_000; count += 1) add();
  expect(() => add()).toThrow('The maximum number of clients');
  const anonymous = Array.from({ length: 100 }, () => add('acc_1', 'server'));
  expect(() => add('acc_1', 'server')).toThrow('The maximum number of clients');
  add('acc_1', 'other');
  add('acc_2');
  anonymous[0]?.close();
  add('acc_1', 'server');
});

test('a drain ends all, and waits until they have ended', async () => {
  const { listeners, add } = setUp();
  const [first, second] = [add(), add()];
  let isDrained = false;
  const drained = listeners.drain().then(() => void (isDrained = true));
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true]);
  first.close();
  await Promise.resolve();
  expect(isDrained).toBe(false);
  const late = add();
  expect(late.signal.aborted).toBe(true);
  for (const listener of [second, late]) listener.close();
  await drained;
});
