import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import { ToolsetChangedSchema } from '@fairlead/contracts/tools/v1/toolset_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const serverChanged = defineEvent(McpServerChangedSchema);
const toolsetChanged = defineEvent(ToolsetChangedSchema);
const catalogueChanged = defineEvent(CatalogueChangedSchema);

/**
 * Calls `onChange` with the account whose MCP servers' lists may have changed; undefined: any account. `isOfTools`:
 * only lists of tools. A connection changes a list only when it leaves servers and toolsets, or when its tools in the
 * catalogue change; both have changes of their own. No change is missed while the session of the subscription stays
 * the same.
 */
export function subscribeToListChanges(
  nats: Pick<Nats, 'subscribe' | 'follow'>,
  onChange: (accountId: string | undefined, isOfTools: boolean) => void,
): Pick<EventSubscription, 'session'> {
  const servers = nats.subscribe(serverChanged, ({ accountId }) => onChange(accountId, false));
  nats.subscribe(toolsetChanged, ({ accountId }) => onChange(accountId, true));
  // Messages from the time of an outage arrive afterwards.
  nats.follow(catalogueChanged, {
    onEvent: ({ accountId }) => onChange(accountId, true),
    onGap: () => onChange(undefined, true),
  });
  return servers;
}
