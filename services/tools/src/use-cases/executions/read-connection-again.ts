import type { RequestContext } from '@fairlead/service-kit/context/context';
import { refuseUnlicensed } from '../../domain/target.ts';
import type { Target } from '../../domain/target.ts';
import type { Connections } from '../../ports/connections.ts';

/** The target with its current connection. NOT_FOUND if it is gone, CONNECTION_BLOCKED without a licence. */
export async function readConnectionAgain(
  { connections }: { readonly connections: Pick<Connections, 'getConnection'> },
  ctx: RequestContext,
  target: Target,
): Promise<Target> {
  const connection = await connections.getConnection(ctx, target.connection.id, undefined);
  refuseUnlicensed(connection);
  return { ...target, connection };
}
