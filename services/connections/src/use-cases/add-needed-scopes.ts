import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { keptScopes } from '../domain/granted-scopes.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** Largest number of scopes that are recorded for a connection. */
const MAX_NEEDED_SCOPES = 50;

/** Records scopes that a call lacked, for the next re-authentication of the connection. An unknown connection is ignored. */
export async function addNeededScopes(
  { connections }: { readonly connections: Pick<ConnectionStore, 'addNeededScopes'> },
  ctx: RequestContext,
  connectionId: number,
  scopes: readonly string[],
): Promise<void> {
  const kept = keptScopes(scopes, []);
  if (kept.length === 0) return;
  await connections.addNeededScopes(ctx, actingAccountOf(ctx), connectionId, {
    scopes: kept,
    most: MAX_NEEDED_SCOPES,
  });
}
