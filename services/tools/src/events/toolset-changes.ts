import { ToolsetChangedSchema } from '@fairlead/contracts/tools/v1/toolset_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { ToolsetStore } from '../ports/toolset-store.ts';
import type { WorkflowStore } from '../ports/workflow-store.ts';

const toolsetChanged = defineEvent(ToolsetChangedSchema);

/** Stores whose changes are published. */
export interface AnnouncedStores {
  readonly toolsets: ToolsetStore;
  readonly workflows: WorkflowStore;
}

/**
 * Publishes each change of a toolset or workflow, before and after the write. Creations are not published, because they change no list. The
 * write does not depend on NATS.
 */
export function announceToolsetChanges({
  nats,
  log,
  toolsets,
  workflows,
}: AnnouncedStores & { readonly nats: Pick<Nats, 'publish'>; readonly log: Logger }): AnnouncedStores {
  function publish(accountId: string): void {
    nats.publish(toolsetChanged, { accountId }).catch((error: unknown) => {
      log.warn({ err: error, accountId }, 'cannot publish a change of a toolset');
    });
  }
  async function withAnnouncement<R>(accountId: string, write: () => Promise<R>): Promise<R> {
    publish(accountId);
    try {
      return await write();
    } finally {
      publish(accountId);
    }
  }
  return {
    toolsets: {
      ...toolsets,
      update: (ctx, accountId, ...rest) =>
        withAnnouncement(accountId, () => toolsets.update(ctx, accountId, ...rest)),
      removeMembers: (ctx, accountId, ...rest) =>
        withAnnouncement(accountId, () => toolsets.removeMembers(ctx, accountId, ...rest)),
      delete: (ctx, accountId, ...rest) =>
        withAnnouncement(accountId, () => toolsets.delete(ctx, accountId, ...rest)),
      removeUses: (ctx, accountId, ...rest) =>
        withAnnouncement(accountId, () => toolsets.removeUses(ctx, accountId, ...rest)),
    },
    workflows: {
      ...workflows,
      update: (ctx, accountId, ...rest) =>
        withAnnouncement(accountId, () => workflows.update(ctx, accountId, ...rest)),
      delete: (ctx, accountId, ...rest) =>
        withAnnouncement(accountId, () => workflows.delete(ctx, accountId, ...rest)),
    },
  };
}
