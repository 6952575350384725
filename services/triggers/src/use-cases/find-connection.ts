import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerType } from '../domain/trigger.ts';
import type { Connections } from '../ports/connections.ts';

export interface FindConnectionDeps {
  readonly connections: Connections;
}

/**
 * The id of the connection for a trigger of this type: the named one; or, if the type needs none, one that the server chooses (or creates
 * if the account has none). EMPTY_QUERY if a needed one is not named, NOT_FOUND if it does not exist, WRONG_APPLICATION if it belongs to
 * another application.
 */
export async function findConnection(
  { connections }: FindConnectionDeps,
  ctx: RequestContext,
  type: TriggerType,
  connectionId: number | undefined,
): Promise<number> {
  const { slug, applicationSlug, applicationName, requiresConnection } = type;
  if (connectionId === undefined) {
    if (requiresConnection)
      throw new ApiError(
        'EMPTY_QUERY',
        `A trigger of the type ${slug} needs the connectionId of a connection of ${applicationSlug}.`,
      );
    const own = await connections.findOwn(ctx, applicationSlug);
    return own ?? (await connections.create(ctx, applicationSlug, applicationName));
  }
  const connection = await connections.find(ctx, connectionId);
  if (connection === undefined) throw notFound('connection');
  if (connection.applicationSlug !== applicationSlug)
    throw new ApiError(
      'WRONG_APPLICATION',
      `Connection ${connectionId} is of the application ${connection.applicationSlug}; triggers of the type ${slug} need one of ${applicationSlug}.`,
    );
  return connectionId;
}
