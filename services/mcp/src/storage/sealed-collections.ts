import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import type { Document } from 'mongodb';
import { mcpServerCollection } from './mcp-server.collection.ts';
import type { McpServerDocument } from './mcp-server.collection.ts';

/** Associated data of a server's token, so that a copy elsewhere cannot be opened. */
export function tokenBinding(serverId: string): readonly string[] {
  return [mcpServerCollection.name, serverId, 'token'];
}

const servers: SealedCollection<McpServerDocument> = {
  definition: mcpServerCollection,
  members: ['accountId'],
  fields: [
    {
      path: 'token',
      scopesOf: ({ accountId }) => [accountId],
      bindingOf: ({ _id }) => tokenBinding(_id),
    },
  ],
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [servers];
