import type { ConnectorHead } from '@fairlead/connector-model/model';
import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { createAnswerCache } from '@fairlead/service-kit/cache/answer-cache';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { Candidate } from '../domain/target.ts';
import type { Catalog } from '../ports/catalog.ts';

/** How long a change may go unnoticed whose message was lost. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

const catalogueChanged = defineEvent(CatalogueChangedSchema);

type Answer =
  | { readonly kind: 'tools'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'connector'; readonly connector: ConnectorHead };

/**
 * The catalogue with its answers cached per account: for two seconds at most, and only while its change messages arrive, so
 * that a changed definition holds at once. A NOT_FOUND is not cached: what was added is found by the next call.
 */
export function createCachedCatalog(
  catalog: Catalog,
  o: {
    readonly hear: (forget: (accountId: string | undefined) => void) => { session(): number | undefined };
    readonly clock: Clock;
  },
): Catalog {
  const answers = createAnswerCache<Answer>({ ...o, ttlMs: TTL_MS, maxEntries: MAX_ENTRIES });
  return {
    async resolveTool(ctx, toolSlug, applicationSlug) {
      const key = JSON.stringify(['tools', toolSlug, applicationSlug]);
      const answer = await answers.get(accountOf(ctx), key, async () => ({
        kind: 'tools',
        candidates: await catalog.resolveTool(ctx, toolSlug, applicationSlug),
      }));
      if (answer.kind !== 'tools') throw new TypeError('A key of the cache stands for two kinds of answers.');
      return answer.candidates;
    },
    async getConnector(ctx, applicationSlug) {
      const key = JSON.stringify(['connector', applicationSlug]);
      const answer = await answers.get(accountOf(ctx), key, async () => ({
        kind: 'connector',
        connector: await catalog.getConnector(ctx, applicationSlug),
      }));
      if (answer.kind !== 'connector')
        throw new TypeError('A key of the cache stands for two kinds of answers.');
      return answer.connector;
    },
  };
}

/**
 * Subscribes to the catalogue's changes. Calls `forget` with the account of each; undefined: the platform's applications
 * changed, or changes may have been missed.
 */
export function followCatalogueChanges(
  nats: Nats,
  forget: (accountId: string | undefined) => void,
): EventSubscription {
  return nats.follow(catalogueChanged, {
    onEvent: ({ accountId }) => forget(accountId),
    onGap: () => forget(undefined),
  });
}
