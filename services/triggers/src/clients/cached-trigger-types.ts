import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { TriggerType } from '../domain/trigger.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';

/** How long a changed entry may be used if its message is lost. */
const FRESH_MS = 2_000;
const MAX_ENTRIES = 10_000;

const catalogueChanged = defineEvent(CatalogueChangedSchema);

/**
 * Trigger types cached per account, for at most two seconds, and only while change messages of the catalogue arrive, so that a changed
 * definition applies at once. NOT_FOUND is not cached.
 */
export function createCachedTriggerTypes(
  types: TriggerTypes,
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'>,
): TriggerTypes {
  const caches = createChangeCaches({
    ...o,
    freshMs: FRESH_MS,
    // Loads are not shared, because a load ends at its caller's deadline.
    uncertainMs: 0,
    announcedMs: 0,
    maxEntries: MAX_ENTRIES,
  });
  // A space separates the account id, which contains none.
  const cache = caches.open<TriggerType>((_type, key) => key.slice(0, key.indexOf(' ')));
  return {
    resolve: (ctx, slug) => cache.get(`${actingAccountOf(ctx)} ${slug}`, () => types.resolve(ctx, slug)),
  };
}

/**
 * Subscribes to the catalogue's changes. Calls `onChange` with the account of each; undefined: the platform's applications changed,
 * or changes may have been missed.
 */
export function followCatalogueChanges(
  nats: Nats,
  onChange: (accountId: string | undefined) => void,
): EventSubscription {
  return nats.follow(catalogueChanged, {
    onEvent: ({ accountId }) => onChange(accountId),
    onGap: () => onChange(undefined),
  });
}
