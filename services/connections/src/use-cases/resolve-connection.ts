import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { getConnection } from './get-connection.ts';

/** What resolveConnection needs. */
export interface ResolveConnectionDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'findDefaults'>;
}

/** Names a connection by its id, or the default one of an application. */
export type ConnectionReference =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'default'; readonly applicationSlug: string };

/** The connection that a reference names; NOT_FOUND, or NO_DEFAULT_CONNECTION if the application has no default. */
export async function resolveConnection(
  deps: ResolveConnectionDeps,
  ctx: RequestContext,
  reference: ConnectionReference,
): Promise<Connection> {
  if (reference.kind === 'id') return await getConnection(deps, ctx, reference.id);
  const { applicationSlug } = reference;
  const [connection] = await deps.connections.findDefaults(ctx, accountOf(ctx), [applicationSlug]);
  if (connection !== undefined) return connection;
  throw new ApiError(
    'NO_DEFAULT_CONNECTION',
    `There is no default connection for ${applicationSlug}. Pass connectionId, or set a default.`,
  );
}
