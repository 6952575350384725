import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import type { Catalog } from '../ports/catalog.ts';

/** The current method of a connection; throws a TokenError if its application no longer has it. */
export async function findMethod(
  deps: { readonly catalog: Pick<Catalog, 'getConnector'> },
  ctx: RequestContext,
  connection: Connection,
): Promise<{ readonly head: ConnectorHead; readonly method: AuthenticationMethod }> {
  const head = await deps.catalog.getConnector(ctx, connectorSlugOf(connection));
  const method = head.authenticationMethods.find(
    ({ authenticationId }) => authenticationId === connection.authenticationId,
  );
  if (method === undefined)
    throw new TokenError('unavailable', 'the application no longer offers this method');
  return { head, method };
}
