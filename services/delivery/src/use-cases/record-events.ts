import type { CapturedEvent } from '../domain/event.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { FirstAttempts } from '../ports/first-attempts.ts';

interface RecordEventsDeps {
  readonly deliveries: Pick<DeliveryStore, 'insert'>;
  readonly firstAttempts: FirstAttempts;
}

/**
 * Stores events with their deliveries; durable when it resolves. An event that is already stored is unchanged. First attempts for which
 * this process has permits begin at once; if it dies, others find them when their claims end.
 */
export async function recordEvents(
  { deliveries, firstAttempts }: RecordEventsDeps,
  events: readonly CapturedEvent[],
): Promise<void> {
  const reserved: (readonly [CapturedEvent, string])[] = [];
  let isLeft = false;
  try {
    const claimed = await deliveries.insert(events, (event, destinationId) => {
      const claim = firstAttempts.claim(event, destinationId);
      if (claim === null) isLeft = true;
      else reserved.push([event, destinationId]);
      return claim;
    });
    firstAttempts.begin(reserved, claimed);
    if (isLeft) firstAttempts.wake();
  } catch (error) {
    firstAttempts.begin(reserved, []);
    throw error;
  }
}
