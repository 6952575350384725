import type { ConnectorHead } from '@fairlead/connector-model/model';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { isClientFor } from '@fairlead/connector-model/provider-slots';
import { ApiError } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { ConnectSession } from '../domain/connect-session.ts';
import { connectsKind } from '../domain/connect-session.ts';
import type { ApplicationPage, Catalog, SignInClient } from '../ports/catalog.ts';
import { listSignInClients } from './list-sign-in-clients.ts';
import { findRenewedConnection } from './find-renewed-connection.ts';
import { useSession } from './use-session.ts';

type ListConnectApplicationsDeps = DepsOf<
  typeof useSession | typeof findRenewedConnection | typeof listSignInClients
> & { readonly catalog: Pick<Catalog, 'getConnector' | 'listAvailable'> };

/** One page of the applications that the calling end user's session offers and that a method can connect. */
export async function listConnectApplications(
  deps: ListConnectApplicationsDeps,
  ctx: RequestContext,
  { page, search }: { readonly page: Page; readonly search: string },
): Promise<ApplicationPage> {
  const { session, opener } = await useSession(deps, ctx);
  const renews = await findRenewedConnection(deps, opener, session);
  const slugs = renews === undefined ? session.applicationSlugs : [renews.applicationSlug];
  const clients = await listSignInClients(deps, opener);
  if (slugs.length === 0)
    return await deps.catalog.listAvailable(opener, { page, search, clients, kinds: ['Regular', 'Key'] });
  const heads = await Promise.all(slugs.map((slug) => findHead(deps, opener, slug)));
  const found = heads
    .flat()
    .filter((head) => isConnectable(session, head, clients) && isNamed(head, search))
    .toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
  return { items: found.slice(page.offset, page.offset + page.top), totalCount: found.length };
}

/** Skips an application that was removed since the session was opened. */
async function findHead(
  { catalog }: ListConnectApplicationsDeps,
  ctx: RequestContext,
  slug: string,
): Promise<readonly ConnectorHead[]> {
  try {
    return [await catalog.getConnector(ctx, slug)];
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}

function isConnectable(
  session: ConnectSession,
  head: ConnectorHead,
  clients: readonly SignInClient[],
): boolean {
  if (!connectsKind(session, head.kind)) return false;
  // For an MCP server, the client is found when the sign-in starts.
  if (head.kind === 'MCPClient') return true;
  return head.authenticationMethods.some(
    (method) =>
      !requiresOAuthSignIn(method) ||
      clients.some(
        (client) =>
          client.applicationSlug === head.slug &&
          client.authenticationId === method.authenticationId &&
          isClientFor(method, client),
      ),
  );
}

/** The few applications of a session are filtered by name. */
function isNamed({ name, slug }: ConnectorHead, search: string): boolean {
  const text = search.trim().toLowerCase();
  return name.toLowerCase().includes(text) || slug.includes(text);
}
