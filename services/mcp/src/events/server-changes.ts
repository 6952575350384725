import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { guid } from '@fairlead/service-kit/ids';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { ChangeServers } from '../ports/server-changes.ts';

const serverChanged = defineEvent(McpServerChangedSchema);

/**
 * Publishes a change before and after its write. After the first message, subscribers cache the account's servers for a short time only, in
 * case the writer dies half-way. The second message makes the change take effect at once. The write happens even if NATS is down, because
 * an outage must not prevent the rotation of a token.
 */
export function announceServerChanges(o: {
  readonly nats: Pick<Nats, 'publish'>;
  readonly log: Logger;
}): ChangeServers {
  return async ({ accountId, serverId = '' }, write) => {
    const changeId = guid();
    const publish = async (isDone: boolean): Promise<void> => {
      try {
        await o.nats.publish(serverChanged, { accountId, serverId, changeId, isDone });
      } catch (error) {
        o.log.warn({ err: error, accountId, serverId }, 'cannot publish a change of an MCP server');
      }
    };
    await publish(false);
    let isDone = true;
    try {
      return await write();
    } catch (error) {
      // Also after a failure: a write that the database has not confirmed may still take effect.
      isDone = error instanceof ApiError;
      throw error;
    } finally {
      await publish(isDone);
    }
  };
}
