import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, test } from 'vitest';
import { callHash, createCallChanges } from './call-changes.ts';

/** Replicas with or without a connection to each other. */
function setUp({ isAway = false } = {}) {
  const handlers: ((message: object) => void)[] = [];
  const replica = () => {
    const cancelled: string[] = [];
    const changes = createCallChanges({
      nats: {
        publish: (_event, message) => {
          if (isAway) return Promise.reject(new Error('away'));
          for (const handle of handlers) handle(message);
          return Promise.resolve();
        },
        subscribe(_event, handle) {
          handlers.push(handle as (message: object) => void);
          return { session: () => undefined };
        },
      },
      timers: systemTimers,
      log: captureLog().log,
      onCancelled: (hash) => void cancelled.push(hash),
    });
    return { changes, cancelled };
  };
  return { one: replica(), other: replica() };
}

const never = new AbortController().signal;
const HOUR = 3_600_000;

test('whoever waits for a call learns of its change on every replica, and of no other call', async () => {
  const { one, other } = setUp();
  const watches = [one.changes.watch('a'), other.changes.watch('a')];
  const another = other.changes.watch('b');
  one.changes.announce('a');
  await Promise.all(watches.map((watch) => watch.changed(HOUR, never)));
  const stop = new AbortController();
  const waiting = another.changed(HOUR, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await another.changed(0, never);
  for (const watch of [...watches, another]) watch.end();
  expect(one.cancelled).toEqual([]);
});

test('the process that runs a cancelled call is told, without NATS only by itself', async () => {
  const { one, other } = setUp();
  one.changes.announce('a', { isCancelled: true });
  expect(other.cancelled).toEqual([callHash('a')]);
  const away = setUp({ isAway: true });
  away.one.changes.announce('a', { isCancelled: true });
  expect([away.one.cancelled, away.other.cancelled]).toEqual([[callHash('a')], []]);
});
