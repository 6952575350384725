import type { ConnectorHead } from '@fairlead/connector-model/model';
import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { Candidate } from '../domain/target.ts';
import type { Catalog, TriggerType, TriggerTypes } from '../ports/catalog.ts';

/** How long a changed entry may be used if its message is lost. */
const FRESH_MS = 2_000;
/** Maximum entries per cache. */
const MAX_ENTRIES = 10_000;

const catalogueChanged = defineEvent(CatalogueChangedSchema);

/**
 * The catalogue with responses cached per account, for at most two seconds, and only while change messages arrive, so that a changed
 * definition applies at once. NOT_FOUND is not cached: the next call finds what was added.
 */
export function createCachedCatalog(
  catalog: Catalog & TriggerTypes,
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'>,
): Catalog & TriggerTypes {
  const caches = createChangeCaches({
    ...o,
    freshMs: FRESH_MS,
    // Loads are not shared, because a load ends at its caller's deadline.
    uncertainMs: 0,
    announcedMs: 0,
    maxEntries: MAX_ENTRIES,
  });
  const tools = caches.open<readonly Candidate[]>(accountOfKey);
  const triggerTypes = caches.open<TriggerType>(accountOfKey);
  const connectors = caches.open<ConnectorHead>(accountOfKey);
  return {
    resolveTool: (ctx, toolSlug, applicationSlug) =>
      tools.get(keyOf(ctx, toolSlug, applicationSlug), () =>
        catalog.resolveTool(ctx, toolSlug, applicationSlug),
      ),
    resolveTriggerType: (ctx, slug) =>
      triggerTypes.get(keyOf(ctx, slug), () => catalog.resolveTriggerType(ctx, slug)),
    getConnector: (ctx, applicationSlug) =>
      connectors.get(keyOf(ctx, applicationSlug), () => catalog.getConnector(ctx, applicationSlug)),
  };
}

/**
 * Subscribes to changes of the catalogue. Calls `onChange` with the account of each; undefined: the platform's applications changed, or
 * changes may have been missed.
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

// A space separates the account id, which contains none.
const keyOf = (ctx: RequestContext, ...slugs: string[]): string =>
  `${actingAccountOf(ctx)} ${JSON.stringify(slugs)}`;

function accountOfKey(_answer: unknown, key: string): string {
  return key.slice(0, key.indexOf(' '));
}
