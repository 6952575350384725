import type { DeliveryClaim } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { ClaimedDelivery } from './delivery-store.ts';

/** First attempts of new events, which this process makes without reading them from the database. */
export interface FirstAttempts {
  /** A claim for the first attempt, with a reserved permit; null: the destination has no permit left. */
  claim(event: CapturedEvent, destinationId: string): DeliveryClaim | null;
  /** Begins the stored claimed attempts, and releases all other reserved permits. */
  begin(reserved: readonly (readonly [CapturedEvent, string])[], claimed: readonly ClaimedDelivery[]): void;
  /** First attempts were stored without a claim: they are due now for any process. */
  wake(): void;
}
