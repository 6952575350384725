import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { Sealer } from '@fairlead/sealing/sealing';
import { deliveryCollection } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import { toDestination } from './destination.repository.ts';
import {
  eventCheckpointCollection,
  eventCountStateCollection,
  eventRowCheckpointCollection,
  eventRowCountStateCollection,
} from './event-checkpoint.collection.ts';
import { eventCollection } from './event.collection.ts';
import { exportEvents } from './event-export.ts';
import { replayCollection } from './replay.collection.ts';

/**
 * All data of an account that this service stores. Change records and replays are erased but not exported, because they repeat facts of
 * destinations and events. Destinations go first: without them nothing of the account is sent any more.
 */
export function createAccountData(store: MongoStore, sealer: Pick<Sealer, 'shred'>): AccountData {
  const destinations = store.collection(destinationCollection);
  const deliveries = store.collection(deliveryCollection);
  const events = store.collection(eventCollection);
  const replays = store.collection(replayCollection);
  const changes = store.collection(changeCollection);
  const creationLocks = store.collection(creationLockCollection);
  const outcomes = store.collection(eventCheckpointCollection);
  const outcomeStates = store.collection(eventCountStateCollection);
  const rows = store.collection(eventRowCheckpointCollection);
  const rowStates = store.collection(eventRowCountStateCollection);

  /** Deletes the checkpoints, then the states: writers of checkpoints lock the state, so none writes a checkpoint after it is gone. */
  async function eraseCounts(ctx: RequestContext, accountId: string): Promise<boolean> {
    const areOutcomesGone =
      (await eraseDocuments(outcomes, ctx, { accountId })) &&
      (await eraseDocuments(outcomeStates, ctx, { _id: accountId }));
    const areRowsGone =
      (await eraseDocuments(rows, ctx, { accountId })) &&
      (await eraseDocuments(rowStates, ctx, { _id: accountId }));
    return areOutcomesGone && areRowsGone;
  }

  return {
    exports: [
      {
        collection: 'destinations',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(destinations, ctx, accountId, after)) {
            if (!document.isDeleted) yield { position, record: toDestination(document) };
          }
        },
      },
      {
        collection: 'events',
        read: (ctx, accountId, after) => exportEvents(store, ctx, accountId, after),
      },
    ],
    async erase(ctx, accountId) {
      await sealer.shred(accountId);
      const areDestinationsGone = await eraseDocuments(destinations, ctx, { accountId });
      const areReplaysGone = await eraseDocuments(replays, ctx, { accountId });
      const areDeliveriesGone = await eraseDocuments(deliveries, ctx, { accountId });
      const areEventsGone = await eraseDocuments(events, ctx, { accountId });
      const areChangesGone = await eraseDocuments(changes, ctx, { accountId });
      const areCountsGone = await eraseCounts(ctx, accountId);
      const areLocksGone = await eraseDocuments(creationLocks, ctx, { accountId });
      return (
        areDestinationsGone &&
        areReplaysGone &&
        areDeliveriesGone &&
        areEventsGone &&
        areChangesGone &&
        areCountsGone &&
        areLocksGone
      );
    },
  };
}
