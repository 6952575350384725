import type { DeliveryClaim } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { ClaimedDelivery } from './delivery-store.ts';

/** First attempts of new events, which this process makes without reading them again. */
export interface FirstAttempts {
  /** A claim for the first attempt, with a place kept for it; null: its destination has none to spare. */
  claim(event: CapturedEvent, destinationId: string): DeliveryClaim | null;
  /** Begins the claimed attempts that were stored; every place that was kept is given back, whatever was stored. */
  begin(reserved: readonly (readonly [CapturedEvent, string])[], claimed: readonly ClaimedDelivery[]): void;
  /** First attempts were stored without a claim: they are due now, for whoever has room. */
  wake(): void;
}
