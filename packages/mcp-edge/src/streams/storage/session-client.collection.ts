import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** The information about a session's client that its session id does not contain. */
export interface SessionClientDocument {
  /** The session's key. */
  readonly _id: string;
  /** Bits of the client's capabilities (interaction/client-capabilities.ts). */
  readonly capabilities?: number;
  /** Lowest level of log messages that the client wants. */
  readonly logLevel?: string;
  /** The resources to which the session is subscribed. */
  readonly subscriptions?: readonly string[];
  /** Expiry of the session; from then on, the document is not needed. */
  readonly expiresAt: Date;
}

/** Clients of sessions, until the sessions expire. */
export const sessionClientCollection = defineCollection<SessionClientDocument>({
  name: 'mcp_session_clients',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
