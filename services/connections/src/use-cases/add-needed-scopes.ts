import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { keptScopes } from '../domain/granted-scopes.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** Maximum number of scopes recorded per connection. */
const MAX_NEEDED_SCOPES = 50;

/** Records scopes that a call lacked, for the connection's next re-authentication. Ignores an unknown connection. */
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
