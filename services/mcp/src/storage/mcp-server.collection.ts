import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { McpServer } from '../domain/mcp-server.ts';

export interface McpServerDocument extends Omit<McpServer, 'id'> {
  /** The server's id. */
  readonly _id: string;
  readonly accountId: string;
  /** Digest of the token, by which the server is found. */
  readonly tokenHash: string;
  readonly token: SealedValue;
}

/** The index by which a token finds its server. */
export const TOKEN_INDEX = 'token';

/** Lists and exports use the first index; the last two find servers that use a connection or a workflow. */
export const mcpServerCollection = defineCollection<McpServerDocument>({
  name: 'mcp_servers',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { tokenHash: 1 }, name: TOKEN_INDEX, unique: true },
    { key: { accountId: 1, 'connections.connectionId': 1, _id: 1 }, name: 'using_a_connection' },
    { key: { accountId: 1, workflowTokens: 1, _id: 1 }, name: 'using_a_workflow' },
  ],
});
