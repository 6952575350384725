import { MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { environmentOf, kill, processesOf, untilReplaced, untilServing } from './processes.ts';

const AGENTS = 'services/agents/src/main.ts';

interface TaskDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly state: string;
  /** Address of the replica whose caller waits for the result. */
  readonly waiter: string;
}

/** The seeded account's agent tasks, as stored. */
export interface StoredTasks {
  /** Number of open tasks. */
  open(): Promise<number>;
  /** Kills the replica that waits for one of the open tasks; resolves once another one serves in its place. */
  killWaiter(): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the database of the stack. */
export async function openTasks(): Promise<StoredTasks> {
  const stack = inject('stack');
  const mongo = await MongoClient.connect(stack.mongodbUri);
  const tasks = mongo.db('fairlead_agents').collection<TaskDocument>('tasks');
  const isOpen = { accountId: stack.account.accountId, state: { $ne: 'ended' } };
  return {
    open: () => tasks.countDocuments(isOpen),
    async killWaiter() {
      const task = await tasks.findOne(isOpen);
      if (task === null) throw new Error('No task is open.');
      const { port } = new URL(task.waiter);
      const victim = processesOf(stack, AGENTS).find((id) => environmentOf(id)['PORT'] === port);
      if (victim === undefined) throw new Error(`No replica has the address ${task.waiter}.`);
      kill(victim);
      await Promise.all((await untilReplaced(stack, AGENTS, victim)).map(untilServing));
    },
    close: () => mongo.close(),
  };
}
