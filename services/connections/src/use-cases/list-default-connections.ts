import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** What listDefaultConnections needs. */
export interface ListDefaultConnectionsDeps {
  readonly connections: Pick<ConnectionStore, 'findDefaults'>;
}

/** The default connections of those applications that have one. */
export async function listDefaultConnections(
  { connections }: ListDefaultConnectionsDeps,
  ctx: RequestContext,
  applicationSlugs: readonly string[],
): Promise<readonly Connection[]> {
  return await connections.findDefaults(ctx, accountOf(ctx), applicationSlugs);
}
