import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A session that its client has ended before it expired. */
export interface EndedSessionDocument {
  /** The session's key. */
  readonly _id: string;
  /** Expiry of the session id; from then on, the document is not needed. */
  readonly expiresAt: Date;
}

/** Ended sessions of MCP clients, until their ids would expire. */
export const endedSessionCollection = defineCollection<EndedSessionDocument>({
  name: 'mcp_ended_sessions',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
