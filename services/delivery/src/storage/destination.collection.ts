import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/sealing/sealed-value';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Destination } from '../domain/destination.ts';

/** One destination. */
export interface DestinationDocument extends Omit<Destination, 'id' | 'consecutiveFailures'> {
  readonly _id: string;
  readonly accountId: string;
  readonly secret: Sealed;
  /** The values by name, as JSON; null: there are none. */
  readonly headers: Sealed | null;
  /** Distinct events that were dead-lettered in a row, by id; at most `maxConsecutiveFailures`. */
  readonly deadStreak: readonly string[];
  /** Raised when it is enabled: results of attempts that were claimed before do not count. */
  readonly epoch: number;
  /** Events captured before are not delivered by themselves; null: it was never disabled. */
  readonly resumeFrom: Date | null;
  /** It is gone for its account; its deliveries are being ended. */
  readonly isDeleted: boolean;
  /** Deliveries are to be ended or held; null: none is. */
  readonly upkeep: Due | null;
}

/** The path of the member by which upkeep is claimed. */
export const UPKEEP_PATH = 'upkeep';

/** Lists read the first index. */
export const destinationCollection = defineCollection<DestinationDocument>({
  name: 'destinations',
  indexes: [
    { key: { accountId: 1, isDeleted: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'export' },
    dueIndex(UPKEEP_PATH),
  ],
});
