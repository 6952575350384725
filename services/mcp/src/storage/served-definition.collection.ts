import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ServedDefinition } from '../domain/changed-tools.ts';
import type { ServerName } from '../ports/served-definitions.ts';

/** The stored definition of another MCP server's tool that a server serves. */
export interface ServedDefinitionDocument extends ServedDefinition, ServerName {
  /** A GUID. */
  readonly _id: string;
  /** When the tool was first served. */
  readonly createdAt: Date;
}

/** The first index is for a server's definitions, the second for exports. */
export const servedDefinitionCollection = defineCollection<ServedDefinitionDocument>({
  name: 'served_definitions',
  indexes: [
    {
      key: { accountId: 1, serverId: 1, applicationSlug: 1, toolSlug: 1 },
      name: 'tool',
      unique: true,
    },
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
  ],
});
