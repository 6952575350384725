import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Counted, ExecutionCounts } from './execution-counts.ts';

/** What one request asks to be extended. */
interface Wanted {
  readonly accountId: string;
  readonly counted: Counted;
}

/** More are not noted; whoever counts their rows next asks again. */
const MAX_WANTED = 1_000;

/** Adds the checkpoints that counts lack, in the background, one transaction at a time. */
export interface CheckpointExtension extends BackgroundWork {
  /** Notes that rows of an account lack checkpoints. */
  request(accountId: string, counted: Counted): void;
}

/** Extends checkpoints in turn, so that the many rows of one account do not keep others waiting. */
export function createCheckpointExtension(o: {
  readonly counts: Pick<ExecutionCounts, 'extend'>;
  readonly log: Logger;
}): CheckpointExtension {
  const wanted = new Map<string, Wanted>();
  let isClosed = false;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (const [key, { accountId, counted }] of wanted) {
      if (isClosed) break;
      const isMore = await o.counts.extend(accountId, counted).catch((error: unknown) => {
        o.log.warn({ err: error, accountId }, 'executions were not counted ahead');
        return false;
      });
      // To the end of the line.
      wanted.delete(key);
      if (isMore) wanted.set(key, { accountId, counted });
    }
    working = undefined;
  }

  return {
    request(accountId, { toolSlug, connectionId }) {
      if (isClosed || wanted.size >= MAX_WANTED) return;
      wanted.set(JSON.stringify([accountId, toolSlug, connectionId]), {
        accountId,
        counted: { toolSlug, connectionId },
      });
      working ??= work();
    },
    async close() {
      isClosed = true;
      await working;
    },
  };
}
