import { AttemptsQueuedSchema } from '@fairlead/contracts/delivery/v1/attempt_events_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { WakeAttempts } from '../ports/due-attempts.ts';

const attemptsQueued = defineEvent(AttemptsQueuedSchema);

/** Shortest interval of messages: other replicas check once a second anyway. */
const PUBLISH_EVERY_MS = 50;

/** Makes every replica check for due attempts: this one by `wake`, the others by a message, which may be lost. */
export function createWakeAttempts(o: {
  readonly nats: Pick<Nats, 'publish' | 'subscribe'>;
  readonly wake: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}): WakeAttempts {
  const self = guid();
  let publishedAt = 0;
  o.nats.subscribe(attemptsQueued, ({ replica }) => {
    if (replica !== self) o.wake();
  });
  return () => {
    o.wake();
    const now = o.clock.now().getTime();
    if (Math.abs(now - publishedAt) < PUBLISH_EVERY_MS) return;
    publishedAt = now;
    o.nats.publish(attemptsQueued, { replica: self }).catch((error: unknown) => {
      o.log.debug({ err: error }, 'could not notify other replicas of due attempts');
    });
  };
}
