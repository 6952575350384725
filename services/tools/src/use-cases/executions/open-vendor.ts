import type { ToolCall } from '@fairlead/connector-runtime/call';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../../domain/target.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';

export interface OpenVendorDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<Connections, 'getCredentials'>;
}

/** How to call a connection's application, or the reason why there is no credential, for people. */
export type VendorAccess =
  | { readonly kind: 'vendor'; readonly vendor: Pick<ToolCall, 'connector' | 'method' | 'credential'> }
  | { readonly kind: 'none'; readonly errorMessage: string };

/** Opens the connection's credential, unless it was read with the connection, for a call of its application. */
export async function openVendor(
  deps: OpenVendorDeps,
  ctx: RequestContext,
  connection: Connection,
): Promise<VendorAccess> {
  const [connector, opened] = await Promise.all([
    deps.catalog.getConnector(ctx, connection.applicationSlug),
    connection.credential === undefined
      ? deps.connections.getCredentials(ctx, connection.id)
      : { kind: 'credential' as const, credential: connection.credential },
  ]);
  if (opened.kind === 'none') return opened;
  const method = connector.authenticationMethods.find(
    ({ authenticationId }) => authenticationId === connection.authenticationId,
  );
  if (!method) {
    return {
      kind: 'none',
      errorMessage: `The application no longer offers the authentication method of connection ${connection.id}. Replace its credentials.`,
    };
  }
  return { kind: 'vendor', vendor: { connector, method, credential: opened.credential } };
}
