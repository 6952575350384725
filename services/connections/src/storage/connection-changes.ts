import type { ClientSession } from 'mongodb';
import type { ConnectionChange } from '../domain/connection-change.ts';
import { kindsOfChange } from '../domain/connection-change.ts';
import type { Connection } from '../domain/connection.ts';

/** The change records of connections. */
export interface ConnectionChanges {
  /**
   * Records, in the transaction of a write, what the write changed. Records nothing if it changed nothing that other
   * services may need to know about. Undefined: the connection did not exist, or no longer does.
   */
  record(
    session: ClientSession,
    write: {
      readonly former: Connection | undefined;
      readonly present: Connection | undefined;
      readonly now: Date;
      /** Why the connection needs a new sign-in, if it now does. */
      readonly reason?: string;
    },
  ): Promise<void>;
}

/** Change records, written by `append` in a session's transaction. */
export function createConnectionChanges(
  append: (session: ClientSession, change: ConnectionChange) => Promise<void>,
): ConnectionChanges {
  return {
    async record(session, { former, present, now, reason }) {
      const connection = present ?? former;
      if (connection === undefined) return;
      for (const kind of kindsOfChange(former, present)) {
        const isReason = reason !== undefined && kind === 'needsReauthentication';
        await append(session, { kind, connection, occurredAt: now, ...(isReason && { reason }) });
      }
    },
  };
}
