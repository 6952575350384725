import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const catalogueChanged = defineEvent(CatalogueChangedSchema);

/** Calls `forget` with the account of every change of the catalogue; undefined: the platform's, or changes of which nothing is known. */
export function hearCatalogueChanges(
  nats: Nats,
  forget: (accountId: string | undefined) => void,
): EventSubscription {
  return nats.follow(catalogueChanged, {
    onEvent: ({ accountId }) => forget(accountId),
    onGap: () => forget(undefined),
  });
}
