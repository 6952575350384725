import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** An application that an account owns. */
export interface AccountApplicationDocument {
  accountId: string;
  slug: string;
  /** The compiled connector as JSON text, because JSON Schemas have member names that are invalid in documents. */
  connector: string;
  contentHash: string;
  /**
   * Length of the head in the text of `connector`, so that the head can be parsed without the tools. Valid only if hash and time match the
   * document: an earlier release does not write this member, and leaves a stale one when it replaces an application.
   */
  head?: {
    readonly contentHash: string;
    readonly writtenAt: Date;
    readonly length: number;
    readonly toolCount: number;
  };
  /** Absent: not imported, but for example created for a connection to an MCP server. */
  isImported?: true;
  createdAt: Date;
  updatedAt: Date;
}

/** Every query filters by the account first. */
export const accountApplicationCollection = defineCollection<AccountApplicationDocument>({
  name: 'account_applications',
  indexes: [{ key: { accountId: 1, slug: 1 }, unique: true }],
});
