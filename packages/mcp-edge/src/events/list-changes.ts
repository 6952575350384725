import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import { ToolsetChangedSchema } from '@fairlead/contracts/tools/v1/toolset_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const serverChanged = defineEvent(McpServerChangedSchema);
const toolsetChanged = defineEvent(ToolsetChangedSchema);
const catalogueChanged = defineEvent(CatalogueChangedSchema);

/**
 * Calls `onChange` with the account whose MCP servers may have other lists; undefined: any account. `isOfTools`: only those of tools. A connection changes a list only by
 * leaving servers and toolsets, or with its tools in the catalogue. Each of these is a change of its own. While the session stays the
 * same, no change is missed.
 */
export function subscribeToListChanges(
  nats: Pick<Nats, 'subscribe' | 'follow'>,
  onChange: (accountId: string | undefined, isOfTools: boolean) => void,
): Pick<EventSubscription, 'session'> {
  const servers = nats.subscribe(serverChanged, ({ accountId }) => onChange(accountId, false));
  nats.subscribe(toolsetChanged, ({ accountId }) => onChange(accountId, true));
  // Its messages of an outage arrive afterwards.
  nats.follow(catalogueChanged, {
    onEvent: ({ accountId }) => onChange(accountId, true),
    onGap: () => onChange(undefined, true),
  });
  return servers;
}
