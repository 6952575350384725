import type { ApplicationKind } from '@fairlead/connector-model/model';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionPage, ConnectionStore } from './connection-store.ts';

/** What the reading use cases need. */
export interface FindConnectionsDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'findDefaults' | 'list'>;
}

/** Names a connection by its id, or the default one of an application. */
export type ConnectionReference =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'default'; readonly applicationSlug: string };

/** The account's connection of that id, of any kind; NOT_FOUND where there is none. */
export async function getConnection(
  { connections }: FindConnectionsDeps,
  ctx: RequestContext,
  id: number,
): Promise<Connection> {
  const connection = await connections.find(ctx, accountOf(ctx), id);
  if (connection === undefined) throw notFound('connection');
  return connection;
}

/** One page, newest first; no kinds: every kind. */
export async function listConnections(
  { connections }: FindConnectionsDeps,
  ctx: RequestContext,
  filter: { readonly kinds: readonly ApplicationKind[]; readonly offset: number; readonly top: number },
): Promise<ConnectionPage> {
  return await connections.list(ctx, accountOf(ctx), filter);
}

/** The connection that a reference names; NOT_FOUND, or NO_DEFAULT_CONNECTION where the application has no default. */
export async function resolveConnection(
  deps: FindConnectionsDeps,
  ctx: RequestContext,
  reference: ConnectionReference,
): Promise<Connection> {
  if (reference.kind === 'id') return await getConnection(deps, ctx, reference.id);
  const { applicationSlug } = reference;
  const [connection] = await deps.connections.findDefaults(ctx, accountOf(ctx), [applicationSlug]);
  if (connection !== undefined) return connection;
  throw new ApiError(
    'NO_DEFAULT_CONNECTION',
    `There is no default connection for ${applicationSlug}. Name a connection, or set a default.`,
  );
}

/** The default connections of those applications that have one. */
export async function listDefaultConnections(
  { connections }: FindConnectionsDeps,
  ctx: RequestContext,
  applicationSlugs: readonly string[],
): Promise<readonly Connection[]> {
  return await connections.findDefaults(ctx, accountOf(ctx), applicationSlugs);
}
