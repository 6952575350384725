import type { ConnectorHead } from '@fairlead/connector-model/model';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { connectsKind } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import type { Catalog } from '../ports/catalog.ts';
import { findRenewedConnection } from './find-renewed-connection.ts';

type FindSessionApplicationDeps = DepsOf<typeof findRenewedConnection> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
};

/** An application of a session's offer. */
export interface SessionApplication {
  readonly head: ConnectorHead;
  /** The connection that the session renews; undefined: it makes a new one. */
  readonly renews: Connection | undefined;
  /** The OAuth client to use: the one of the connection to renew, otherwise the account's default. */
  readonly provider: ProviderChoice;
}

/** An application that a session offers; NOT_FOUND, without distinction, for one that it does not offer and one that does not exist. */
export async function findSessionApplication(
  deps: FindSessionApplicationDeps,
  opener: RequestContext,
  session: ConnectSession,
  slug: string,
): Promise<SessionApplication> {
  const renews = await findRenewedConnection(deps, opener, session);
  const offered = renews === undefined ? session.applicationSlugs : [renews.applicationSlug];
  if (offered.length > 0 && !offered.includes(slug)) throw notFound('application');
  const head = await deps.catalog.getConnector(opener, slug).catch((error: unknown) => {
    // Replaced, because the catalogue's message names applications that the account sees.
    throw error instanceof ApiError && error.code === 'NOT_FOUND' ? notFound('application') : error;
  });
  if (!connectsKind(session, head.kind)) throw notFound('application');
  const authProviderId = renews?.authProviderId ?? null;
  const provider: ProviderChoice =
    authProviderId === null ? { kind: 'default' } : { kind: 'current', authProviderId };
  return { head, renews, provider };
}
