import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** The client of a session, as far as its session id does not describe it. */
export interface SessionClientDocument {
  /** The session's key. */
  readonly _id: string;
  /** Bits of its capabilities (interaction/client-capabilities.ts). */
  readonly capabilities?: number;
  /** The least level of log messages that it wants. */
  readonly logLevel?: string;
  /** The resources to which it is subscribed. */
  readonly subscriptions?: readonly string[];
  /** When the session expires: from then on the document is not needed. */
  readonly expiresAt: Date;
}

/** Clients of sessions, for as long as these are valid. */
export const sessionClientCollection = defineCollection<SessionClientDocument>({
  name: 'mcp_session_clients',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
