import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { CatalogueChanges } from '../ports/catalogue-changes.ts';

const catalogueChanged = defineEvent(CatalogueChangedSchema);

/** Keeps changes of the catalogue for as long as a replica may be cut off and still catch up. */
export const catalogueStream = defineStream({
  name: 'CATALOGUE',
  description: 'Changes of the catalogue: fairlead.catalog.*',
  events: [catalogueChanged],
  maxAgeMs: 60 * 60_000,
  maxBytes: 16 * 1024 * 1024,
  duplicateWindowMs: 2 * 60_000,
});

type Forget = (accountId: string | undefined) => void;

/** Tells of changes, and hears of those that other replicas made. */
export interface CatalogueMessages extends CatalogueChanges {
  /** Calls `forget` with the account of every change; undefined: the platform's, or changes of which nothing is known. */
  hear(forget: Forget): EventSubscription;
}

/**
 * Changes of the catalogue over NATS. Those of this process are heard at once, without NATS; where NATS is away, others
 * remember nothing, so that a change that could not be told of is still seen.
 */
export function createCatalogueChanges({
  nats,
  log,
}: {
  readonly nats: Nats;
  readonly log: Logger;
}): CatalogueMessages {
  const listeners = new Set<Forget>();
  return {
    async announce(accountId, requestId) {
      for (const forget of listeners) forget(accountId);
      try {
        const change = accountId === undefined ? {} : { accountId };
        await nats.publishToStream(catalogueChanged, change, { requestId });
      } catch (error) {
        log.warn({ err: error, accountId, requestId }, 'could not tell of a change of the catalogue');
      }
    },
    hear(forget) {
      listeners.add(forget);
      return nats.follow(catalogueChanged, {
        onEvent: ({ accountId }) => forget(accountId),
        onGap: () => forget(undefined),
      });
    },
  };
}
