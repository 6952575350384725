import type { SealedCollection } from '@fairlead/service-kit/sealing/sealed-fields';
import type { Document } from 'mongodb';
import { agentCollection } from './agent.collection.ts';
import type { AgentDocument } from './agent.collection.ts';
import { taskCollection } from './task.collection.ts';
import type { TaskDocument } from './task.collection.ts';

/** Binding of an agent's token: a copy elsewhere does not open. */
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

/** Binding of a task's input. */
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
