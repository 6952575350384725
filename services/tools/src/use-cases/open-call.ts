import type { ToolCall } from '@fairlead/connector-runtime/call';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Target } from '../domain/target.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Connections } from '../ports/connections.ts';
import type { Inputs } from './check-inputs.ts';

/** What openCall needs. */
export interface OpenCallDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<Connections, 'getCredentials'>;
}

/** Everything needed to call the vendor, or a message for people that says why there is no credential. */
export type OpenedCall =
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'none'; readonly errorMessage: string };

/** Opens the connection's credential, unless that came with the connection, for a call of the tool with these inputs. */
export async function openCall(
  deps: OpenCallDeps,
  ctx: RequestContext,
  { tool, connection }: Target,
  { fields, filters, sorts, top, offset }: Inputs,
): Promise<OpenedCall> {
  const [connector, opened] = await Promise.all([
    deps.catalog.getConnector(ctx, tool.applicationSlug),
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
  const { credential } = opened;
  const query = { filters, sorts, top, offset };
  return { kind: 'call', call: { connector, method, credential, tool: tool.definition, fields, ...query } };
}
