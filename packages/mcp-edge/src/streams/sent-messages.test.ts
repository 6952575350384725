import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, test } from 'vitest';
import { createSentMessages } from './sent-messages.ts';

function sentMessages() {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const state = { isAway: false, appended: 0, answer: Promise.resolve() };
  const reach = async (): Promise<void> => {
    await state.answer;
    if (state.isAway) throw new Error('away');
  };
  const sent = createSentMessages({
    sentLog: {
      async append() {
        state.appended += 1;
        const sequence = state.appended;
        await reach();
        return sequence;
      },
      async after() {
        await reach();
        return [];
      },
    },
    clock,
    log: captureLog().log,
  });
  return { sent, state, clock };
}

const json = Buffer.from('{}');

test('while the log is away messages have no id, and it is tried again after a pause', async () => {
  const { sent, state, clock } = sentMessages();
  expect(await sent.add('k', json)).toBe('s.1');
  state.isAway = true;
  expect(await sent.add('k', json)).toBeUndefined();
  expect(await sent.after('k', 's.1')).toEqual([]);
  state.isAway = false;
  expect(await sent.add('k', json)).toBeUndefined();
  expect(state.appended).toBe(2);
  clock.advance(5_000);
  expect(await sent.add('k', json)).toBe('s.3');
});

test('a message that is too large is not stored, and neither is one while too many wait', async () => {
  const { sent, state } = sentMessages();
  expect(await sent.add('k', Buffer.alloc(64 * 1024 + 1))).toBeUndefined();
  const stored = Promise.withResolvers<void>();
  state.answer = stored.promise;
  const waiting = Array.from({ length: 1_000 }, () => sent.add('k', json));
  expect(await sent.add('k', json)).toBeUndefined();
  stored.resolve();
  expect((await Promise.all(waiting)).at(-1)).toBe('s.1000');
  expect(await sent.add('k', json)).toBe('s.1001');
});
