import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import { ToolsetChangedSchema } from '@fairlead/contracts/tools/v1/toolset_events_pb';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const serverChanged = defineEvent(McpServerChangedSchema);
const toolsetChanged = defineEvent(ToolsetChangedSchema);
const catalogueChanged = defineEvent(CatalogueChangedSchema);

/**
 * Subscribes to changes of servers, toolsets, workflows and the catalogue. Calls `onChange` with the account of each; undefined: the
 * platform's applications changed, or changes may have been missed. Only changes of servers are announced again when they are written;
 * after others, replicas of the catalogue may return the former state for a while.
 */
export function followServerChanges(nats: Nats, onChange: OnChange): Pick<EventSubscription, 'session'> {
  const servers = nats.subscribe(serverChanged, ({ accountId, changeId: id, isDone }) =>
    onChange(accountId, { id, isDone }),
  );
  const toolsets = nats.subscribe(toolsetChanged, ({ accountId }) => onChange(accountId));
  const catalogue = nats.follow(catalogueChanged, {
    onEvent: ({ accountId }) => onChange(accountId),
    onGap: () => onChange(undefined),
  });
  return {
    session() {
      const sessions = [servers.session(), toolsets.session(), catalogue.session()];
      // Each number only increases, so the sum changes after every gap.
      return sessions.reduce<number | undefined>(
        (sum, session) => (sum === undefined || session === undefined ? undefined : sum + session),
        0,
      );
    },
  };
}
