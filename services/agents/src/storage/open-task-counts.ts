import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Collection } from 'mongodb';
import { MAX_ACCOUNT_TASKS, MAX_AGENT_TASKS, OPEN_STATES } from '../domain/task.ts';
import type { TaskDocument } from './task.collection.ts';

/** Age after which a count is read again. */
const FRESH_MS = 1_000;
/** Maximum number of cached counts; each expires after FRESH_MS. */
const MAX_KEPT = 10_000;

interface Count {
  readonly readAt: number;
  /** Open tasks at the last count, and those that this replica has queued since. */
  open: number;
}

/** Whether an agent and its account may have one more open task. */
export type HasRoom = (ctx: RequestContext, accountId: string, agentKey: string) => Promise<boolean>;

/**
 * Creates the function. It counts in the database if the last count is older than a second, or if half of a limit may be reached. Far from
 * the limits, one count serves many tasks.
 */
export function createHasRoom(tasks: Collection<TaskDocument>, nowMs = () => performance.now()): HasRoom {
  const counts = new Map<string, Count>();

  async function isBelow(key: string, most: number, read: () => Promise<number>): Promise<boolean> {
    const readAt = nowMs();
    const last = counts.get(key);
    if (last !== undefined && readAt - last.readAt < FRESH_MS && last.open < most / 2) {
      last.open += 1;
      return true;
    }
    const open = await read();
    counts.delete(key);
    counts.set(key, { readAt, open: open + 1 });
    const [oldest] = counts.keys();
    if (counts.size > MAX_KEPT && oldest !== undefined) counts.delete(oldest);
    return open < most;
  }

  return async (ctx, accountId, agentKey) => {
    const options = operationOptions(ctx);
    const state = { $in: OPEN_STATES };
    const rooms = await Promise.all([
      isBelow(`agent ${agentKey}`, MAX_AGENT_TASKS, () =>
        tasks.countDocuments({ agentKey, state }, { ...options, limit: MAX_AGENT_TASKS, hint: 'work' }),
      ),
      isBelow(`account ${accountId}`, MAX_ACCOUNT_TASKS, () =>
        tasks.countDocuments(
          { accountId, state },
          { ...options, limit: MAX_ACCOUNT_TASKS, hint: 'open_of_account' },
        ),
      ),
    ]);
    return rooms.every(Boolean);
  };
}
