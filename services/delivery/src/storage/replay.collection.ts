import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';

/** Events of a bulk replay that are still waiting; removed in the transaction that replays them. */
export interface ReplayDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly eventIds: readonly string[];
  /** Null: all destinations of each event. */
  readonly destinationId: string | null;
  readonly due: DueState;
}

/** Path of the member by which replays are claimed. */
export const REPLAY_DUE_PATH = 'due';

/** The waiting replays. */
export const replayCollection = defineCollection<ReplayDocument>({
  name: 'replays',
  indexes: [{ key: { accountId: 1 }, name: 'of_account' }, dueIndex(REPLAY_DUE_PATH)],
});
