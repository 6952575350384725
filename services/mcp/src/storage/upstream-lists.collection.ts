import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { UpstreamAbilities } from '../domain/upstream-lists.ts';
import type { ConnectionName, StoredLists } from '../ports/upstreams.ts';

/** The last read lists of a connection's MCP server. */
export interface UpstreamListsDocument extends UpstreamAbilities, ConnectionName, StoredLists {
  /** A GUID. */
  readonly _id: string;
  /** JSON text, like the next ones. */
  readonly prompts: Binary;
  readonly resources: Binary;
  readonly templates: Binary;
}

/** Lists that could not be read for this long are removed. */
const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Copies, which can be read again. The second index finds an account's oldest. */
export const upstreamListsCollection = defineCollection<UpstreamListsDocument>({
  name: 'upstream_lists',
  indexes: [
    { key: { accountId: 1, connectionId: 1 }, name: 'connection', unique: true },
    { key: { accountId: 1, readAt: 1 }, name: 'oldest' },
    { key: { readAt: 1 }, name: 'clear_away', expireAfterSeconds: KEPT_SECONDS },
  ],
});
