import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const serverChanged = defineEvent(McpServerChangedSchema);

/** Calls `onChange` with the account of an MCP server, when a change begins and when it is complete. */
export function subscribeToServerChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: OnChange,
): EventSubscription {
  return nats.subscribe(serverChanged, ({ accountId, changeId: id, isDone }) =>
    onChange(accountId, { id, isDone }),
  );
}
