import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Destination } from '../domain/destination.ts';

export interface DestinationDocument extends Omit<Destination, 'id' | 'consecutiveFailures'> {
  readonly _id: string;
  readonly accountId: string;
  readonly secret: SealedValue;
  /** Values by name, as JSON; null: none. */
  readonly headers: SealedValue | null;
  /** Ids of the distinct events that were dead-lettered in a row; at most `maxConsecutiveFailures`. */
  readonly deadStreak: readonly string[];
  /** Incremented when it is enabled: results of attempts claimed earlier do not count. */
  readonly epoch: number;
  /** Events captured before this time are not delivered automatically; null: it was never disabled. */
  readonly resumeFrom: Date | null;
  /** Whether it was deleted; its deliveries are then being ended. */
  readonly isDeleted: boolean;
  /** Due time of upkeep, which ends or holds deliveries; null: none is needed. */
  readonly upkeep: DueState | null;
}

/** Path of the member with which upkeep is claimed. */
export const UPKEEP_PATH = 'upkeep';

/** Lists use the first index. */
export const destinationCollection = defineCollection<DestinationDocument>({
  name: 'destinations',
  indexes: [
    { key: { accountId: 1, isDeleted: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'export' },
    dueIndex(UPKEEP_PATH),
  ],
});
