import { InvalidConnectorError } from '@fairlead/connector-model/codec';
import type { Connector } from '@fairlead/connector-model/model';
import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isAvailable } from '../domain/application.ts';
import type { ApplicationView } from '../domain/application.ts';
import { contentHash } from '../domain/content-hash.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { CatalogueChanges } from '../ports/catalogue-changes.ts';

/** What putAccountApplication needs. */
export interface PutAccountApplicationDeps {
  readonly store: Pick<AccountStore, 'put'>;
  readonly changes: CatalogueChanges;
  /** Slugs of the platform's catalogue, including those omitted for a missing setting. */
  readonly platformSlugs: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Stores an application that belongs to the account, replacing one with the same slug; the same content twice changes
 * nothing. VALIDATION_ERROR if the bytes are not a well-formed connector, CONFLICT if the platform has its slug.
 */
export async function putAccountApplication(
  deps: PutAccountApplicationDeps,
  ctx: RequestContext,
  encodedConnector: Uint8Array,
): Promise<ApplicationView> {
  const accountId = accountOf(ctx);
  const connector = parse(encodedConnector);
  if (deps.platformSlugs.has(connector.slug)) {
    throw new ApiError('CONFLICT', `The slug ${connector.slug} belongs to an application of the platform.`);
  }
  try {
    const application = await deps.store.put(
      ctx,
      accountId,
      connector,
      contentHash(connector),
      deps.clock.now(),
    );
    return { application, isAvailable: isAvailable(connector, []), score: undefined };
  } finally {
    // Also after a failure: a write whose response was lost may have happened.
    await deps.changes.announce(accountId, ctx.requestId);
  }
}

function parse(encodedConnector: Uint8Array): Connector {
  try {
    return parseConnector(encodedConnector);
  } catch (error) {
    if (!(error instanceof InvalidConnectorError)) throw error;
    throw validationError(
      ...error.issues.map(({ path, message }) => ({
        field: path === '' ? 'connector' : `connector.${path}`,
        issue: message,
      })),
    );
  }
}
