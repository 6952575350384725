import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** An application that an account owns. */
export interface AccountApplicationDocument {
  accountId: string;
  slug: string;
  /** The compiled connector as JSON text: JSON Schemas have member names that a document must not have. */
  connector: string;
  contentHash: string;
  /**
   * Where the head ends in the text of `connector`, so that the tools need not be parsed with it. It is of the text with this hash that
   * was written at this time: an earlier release writes applications without it, and leaves that of what it replaces.
   */
  head?: {
    readonly contentHash: string;
    readonly writtenAt: Date;
    readonly length: number;
    readonly toolCount: number;
  };
  /** Absent: it is not imported, as that of a connection to an MCP server. */
  isImported?: true;
  createdAt: Date;
  updatedAt: Date;
}

/** Every query filters by the account first. */
export const accountApplicationCollection = defineCollection<AccountApplicationDocument>({
  name: 'account_applications',
  indexes: [{ key: { accountId: 1, slug: 1 }, unique: true }],
});
