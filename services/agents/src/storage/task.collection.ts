import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { Task } from '../domain/task.ts';

export interface TaskDocument extends Omit<Task, 'id'> {
  readonly _id: string;
  /** Null once the task has ended. */
  readonly input: SealedValue | null;
  /** True for a logs task of which nothing has arrived: further downloads join it. */
  readonly isJoinable: boolean;
  /** When MongoDB deletes it; null: it is still open. */
  readonly expireAt: Date | null;
}

/** Claims use the first index, in id order; the second is unique and limits the running tasks of an agent to its slots. */
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
