import { ManualClock } from '@fairlead/service-kit/clock';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, it } from 'vitest';
import { createWakeAttempts } from './queued-attempts.ts';

const clock = new ManualClock(new Date('2026-11-23T10:00:00.000Z'));
const { log } = captureLog();

type Bus = Pick<Nats, 'publish' | 'subscribe'>;

/** Delivers messages at once to all subscribers, the publisher included; `sent` counts them. */
function bus() {
  const handlers: ((message: never, origin: object) => void)[] = [];
  const sent: unknown[] = [];
  const nats: Bus = {
    subscribe(_event, handle) {
      handlers.push(handle);
      return { session: () => 0 };
    },
    publish(_event, message) {
      sent.push(message);
      for (const handle of handlers) handle(message as never, {});
      return Promise.resolve();
    },
  };
  return { nats, sent };
}

it('each replica looks once, whichever of them has queued attempts', () => {
  const { nats } = bus();
  const looks = [0, 0, 0];
  const [wake] = looks.map((_, at) => {
    const look = (): void => void (looks[at] = (looks[at] ?? 0) + 1);
    return createWakeAttempts({ nats, clock, log, wake: look });
  });
  wake?.();
  expect(looks).toEqual([1, 1, 1]);
});

it('the others are told some times a second at most, and this one looks each time', () => {
  const { nats, sent } = bus();
  let looks = 0;
  const wake = createWakeAttempts({ nats, clock, log, wake: () => void (looks += 1) });
  for (let at = 0; at < 10; at += 1) {
    wake();
    clock.advance(25);
  }
  expect([looks, sent.length]).toEqual([10, 5]);
});

it('this replica looks although nobody can be told', () => {
  let looks = 0;
  const nats: Bus = { ...bus().nats, publish: () => Promise.reject(new Error('away')) };
  createWakeAttempts({ nats, clock, log, wake: () => void (looks += 1) })();
  expect(looks).toBe(1);
});
