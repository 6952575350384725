import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/service-kit/sealing/sealed-value';
import type { Task } from '../domain/task.ts';

/** One task. */
export interface TaskDocument extends Omit<Task, 'id'> {
  readonly _id: string;
  /** Null: it has none, or has ended. */
  readonly input: Sealed | null;
  /** Whether it collects logs of which nothing has arrived, so that further downloads get the same archive. */
  readonly isJoinable: boolean;
  /** When MongoDB removes it; null: it has not ended. */
  readonly expireAt: Date | null;
}

/** Claims read the first index, in the order of the ids; the second keeps the number of tasks that run within its bound. */
export const taskCollection = defineCollection<TaskDocument>({
  name: 'tasks',
  indexes: [
    { key: { agentKey: 1, state: 1, _id: 1 }, name: 'work' },
    {
      key: { agentKey: 1, slot: 1 },
      name: 'slots',
      unique: true,
      partialFilterExpression: { slot: { $gte: 0 } },
    },
    {
      key: { agentKey: 1 },
      name: 'joinable',
      unique: true,
      partialFilterExpression: { isJoinable: true },
    },
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'account' },
    { key: { accountId: 1, state: 1 }, name: 'open_of_account' },
    { key: { state: 1, deadline: 1 }, name: 'overdue' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});
