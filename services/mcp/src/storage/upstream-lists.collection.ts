import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { UpstreamAbilities } from '../domain/upstream-lists.ts';
import type { ConnectionName, StoredLists } from '../ports/upstreams.ts';

/** The lists of an MCP server behind a connection, as they were last read. */
export interface UpstreamListsDocument extends UpstreamAbilities, ConnectionName, StoredLists {
  /** A GUID. */
  readonly _id: string;
  /** JSON, as those below. */
  readonly prompts: Binary;
  readonly resources: Binary;
  readonly templates: Binary;
}

/** Lists that nobody could read for as long are dropped. */
const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Copies, which are read again. The second index finds the oldest of an account. */
export const upstreamListsCollection = defineCollection<UpstreamListsDocument>({
  name: 'upstream_lists',
  indexes: [
    { key: { accountId: 1, connectionId: 1 }, name: 'connection', unique: true },
    { key: { accountId: 1, readAt: 1 }, name: 'oldest' },
    { key: { readAt: 1 }, name: 'clear_away', expireAfterSeconds: KEPT_SECONDS },
  ],
});
