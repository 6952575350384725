import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { CatalogueChanges, ChangeCause } from '../ports/catalogue-changes.ts';

const catalogueChanged = defineEvent(CatalogueChangedSchema);

/** Changes are kept for an hour, so that a disconnected replica can catch up. */
export const catalogueStream = defineStream({
  name: 'CATALOGUE',
  description: 'Changes of the catalogue: fairlead.catalog.*',
  events: [catalogueChanged],
  retention: 'limits',
  discard: 'old',
  maxAgeMs: 60 * 60_000,
  maxBytes: 16 * 1024 * 1024,
  duplicateWindowMs: 2 * 60_000,
});

type OnChange = (accountId: string | undefined) => void;

/** Publishes changes, and subscribes to the changes of other replicas. */
export interface CatalogueMessages extends CatalogueChanges {
  /** Calls `onChange` with the account of each change; undefined: the platform's applications changed, or changes may have been missed. */
  subscribe(onChange: OnChange): EventSubscription;
}

/**
 * Publishes changes of the catalogue over NATS, and notifies subscribers in this process directly. While NATS is unavailable, other
 * processes cache nothing, so they see a change that could not be published.
 */
export function createCatalogueChanges({
  nats,
  log,
}: {
  readonly nats: Nats;
  readonly log: Logger;
}): CatalogueMessages {
  const listeners = new Set<OnChange>();
  return {
    async announce(accountId, { requestId, canaries }: Partial<ChangeCause> = {}) {
      for (const onChange of listeners) onChange(accountId);
      try {
        const change = accountId === undefined ? {} : { accountId };
        await nats.publishToStream(catalogueChanged, change, { requestId, canaries });
      } catch (error) {
        log.warn({ err: error, accountId, requestId }, 'could not publish a change of the catalogue');
      }
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return nats.follow(catalogueChanged, {
        onEvent: ({ accountId }) => onChange(accountId),
        onGap: () => onChange(undefined),
      });
    },
  };
}
