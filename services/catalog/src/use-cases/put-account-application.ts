import { InvalidConnectorError } from '@fairlead/connector-model/codec';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isAvailable } from '../domain/application.ts';
import type { CataloguedApplication } from '../domain/application.ts';
import { MAX_IMPORTED } from '../domain/imports.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { CatalogueChanges } from '../ports/catalogue-changes.ts';
import type { CheckedConnector, ConnectorReader } from '../ports/connector-reader.ts';

interface PutAccountApplicationDeps {
  readonly store: Pick<AccountStore, 'put'>;
  readonly connectors: ConnectorReader;
  readonly changes: CatalogueChanges;
  /** Slugs of the platform's catalogue, including those omitted for a missing setting. */
  readonly platformSlugs: ReadonlySet<string>;
  readonly clock: Clock;
}

/** A stored application, without its tools, which are not built. */
export interface PutApplication
  extends
    Pick<CheckedConnector, 'head' | 'toolCount'>,
    Pick<CataloguedApplication, 'createdAt' | 'updatedAt'> {
  readonly isAvailable: boolean;
}

/**
 * Stores an application that belongs to the account, replacing one with the same slug; repeating it changes nothing. VALIDATION_ERROR if
 * the bytes are not a well-formed connector; CONFLICT if the platform has the slug, and for an import also if the account has it, or has
 * the maximum number of imports.
 */
export async function putAccountApplication(
  deps: PutAccountApplicationDeps,
  ctx: RequestContext,
  encodedConnector: Uint8Array,
  { isImport = false }: { readonly isImport?: boolean } = {},
): Promise<PutApplication> {
  const accountId = actingAccountOf(ctx);
  const connector = await deps.connectors.read(accountId, encodedConnector).catch(refuse);
  const { head, toolCount } = connector;
  if (deps.platformSlugs.has(head.slug)) {
    throw new ApiError('CONFLICT', `The slug ${head.slug} belongs to an application of the platform.`);
  }
  try {
    const times = await deps.store.put(ctx, accountId, connector, deps.clock.now(), { isImport });
    if (times === 'taken') throw new ApiError('CONFLICT', `The account has an application ${head.slug}.`);
    if (times === 'full')
      throw new ApiError('CONFLICT', `An account has at most ${String(MAX_IMPORTED)} imported applications.`);
    return { head, toolCount, ...times, isAvailable: isAvailable(head, []) };
  } finally {
    // Also announced after a failure: the write may have succeeded and only its response been lost.
    await deps.changes.announce(accountId, ctx);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof InvalidConnectorError)) throw error;
  throw validationError(
    ...error.issues.map(({ path, message }) => ({
      field: path === '' ? 'connector' : `connector.${path}`,
      issue: message,
    })),
  );
}
