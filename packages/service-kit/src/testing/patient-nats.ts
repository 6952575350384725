import { guid } from '../ids.ts';
import type { Nats } from '../nats/nats.ts';

/** Longer than any stall of a busy machine, and than connecting in the background takes. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 100;

/**
 * A connection whose `publishToStream` and `streamState` wait for NATS for a minute, whereas a service gives up after
 * a second. A message that was stored without a confirmation is recognised by its id, so each is stored once.
 */
export function patientNats(nats: Nats): Nats {
  return {
    ...nats,
    publishToStream: (event, message, { id = guid(), ...origin } = {}) =>
      untilAnswered(() => nats.publishToStream(event, message, { id, ...origin })),
    streamState: (event) => untilAnswered(() => nats.streamState(event)),
  };
}

async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
