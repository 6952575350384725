import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../../domain/target.ts';
import type { Connections } from '../../ports/connections.ts';

export interface FindExplicitConnectionDeps {
  readonly connections: Pick<Connections, 'getConnection'>;
}

/** The connection that a call names; NOT_FOUND, or VALIDATION_ERROR for an invalid id. */
export async function findExplicitConnection(
  { connections }: FindExplicitConnectionDeps,
  ctx: RequestContext,
  id: number,
  endUserId: string | undefined,
): Promise<Connection> {
  if (id < 1) throw validationError({ field: 'connectionId', issue: 'must be an integer of 1 or more' });
  return await connections.getConnection(ctx, id, endUserId);
}
