import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import type { Document } from 'mongodb';
import { agentCollection } from './agent.collection.ts';
import type { AgentDocument } from './agent.collection.ts';
import { taskCollection } from './task.collection.ts';
import type { TaskDocument } from './task.collection.ts';

/** Associated data of an agent's token, so that a copy elsewhere cannot be opened. */
export function tokenBinding(creationId: string): readonly string[] {
  return [agentCollection.name, creationId, 'token'];
}

const agents: SealedCollection<AgentDocument> = {
  definition: agentCollection,
  members: ['accountId'],
  fields: [
    {
      path: 'token',
      scopesOf: ({ accountId }) => [accountId],
      bindingOf: ({ _id }) => tokenBinding(_id),
    },
  ],
};

/** Associated data of a task's input. */
export function taskBinding(id: string): readonly string[] {
  return [taskCollection.name, id, 'input'];
}

const tasks: SealedCollection<TaskDocument> = {
  definition: taskCollection,
  members: ['accountId'],
  fields: [
    { path: 'input', scopesOf: ({ accountId }) => [accountId], bindingOf: ({ _id }) => taskBinding(_id) },
  ],
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [agents, tasks];
