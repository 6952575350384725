import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { RowCounts } from './row-counts.ts';

/** Maximum number of queued selections. A selection that is not queued is requested again by the next count of its rows. */
const MAX_WANTED = 1_000;

/** Adds missing checkpoints in the background, one transaction at a time. */
export interface CheckpointExtension<S> extends BackgroundWork {
  /** Queues the selected rows of an account, which lack checkpoints. */
  request(accountId: string, selection: S): void;
}

/** Extends checkpoints in turn, so that an account with many rows does not keep others waiting. */
export function createCheckpointExtension<S>(o: {
  readonly counts: Pick<RowCounts<never, S>, 'extend'>;
  /** The name of the rows that a selection's checkpoints count. */
  readonly countedAs: (selection: S) => string;
  readonly log: Logger;
}): CheckpointExtension<S> {
  const selections = new Map<string, { readonly accountId: string; readonly selection: S }>();
  let isClosed = false;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (const [key, one] of selections) {
      if (isClosed) break;
      const { accountId, selection } = one;
      const isMore = await o.counts.extend(accountId, selection).catch((error: unknown) => {
        o.log.warn({ err: error, accountId }, 'rows were not counted ahead');
        return false;
      });
      // If more are missing, the selection goes to the end of the queue.
      selections.delete(key);
      if (isMore) selections.set(key, one);
    }
    working = undefined;
  }

  return {
    request(accountId, selection) {
      if (isClosed || selections.size >= MAX_WANTED) return;
      selections.set(JSON.stringify([accountId, o.countedAs(selection)]), { accountId, selection });
      working ??= work();
    },
    async close() {
      isClosed = true;
      await working;
    },
  };
}
