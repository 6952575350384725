import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Collection } from 'mongodb';
import { MAX_ACCOUNT_TASKS, MAX_AGENT_TASKS, OPEN_STATES } from '../domain/task.ts';
import type { TaskDocument } from './task.collection.ts';

/** A count is read again after this time. */
const FRESH_MS = 1_000;
/** Counts of agents and accounts that are kept; each is forgotten after FRESH_MS. */
const MAX_KEPT = 10_000;

interface Count {
  readonly readAt: number;
  /** Tasks that were open then, and those that this replica has queued since. */
  open: number;
}

/** Whether an agent and its account may have one more open task. */
export type HasRoom = (ctx: RequestContext, accountId: string, agentKey: string) => Promise<boolean>;

/**
 * Creates the function. It reads the counts in the database when the last ones are older than a second, or when half of a bound may be
 * reached: a replica that has just counted a few tasks need not count them again for the next one.
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
