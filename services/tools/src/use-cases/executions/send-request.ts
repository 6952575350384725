import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { FROM_REST } from '../../domain/call-origin.ts';
import { passthroughTool } from '../../domain/passthrough.ts';
import { refuseUnlicensed } from '../../domain/target.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';

/** A caller's own request to the API of a connection's application. */
export interface VendorRequest {
  readonly connectionId: number;
  readonly method: string;
  /** Relative to the application's base URL, or a whole URL below it. */
  readonly path: string;
  readonly query: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** Text is sent as it is, other values as JSON; undefined and null: no body. */
  readonly body: Json | LazyJson | undefined;
  readonly dryRun: boolean;
}

/** Determined by the connection alone. */
const NO_TOOL = {
  origin: FROM_REST,
  toolSlug: '',
  applicationSlug: '',
  toolsetId: undefined,
  endUserId: undefined,
};

/**
 * Sends the request with the connection's credential, of the account or of any of its end users, and records it as an execution of
 * `<applicationSlug>-request`. Refusals in order: connection, licence, then VALIDATION_ERROR for a request that is not below the base URL;
 * RATE_LIMIT_EXCEEDED as for executeTool.
 */
export function sendRequest(
  ports: ExecutionPorts,
  ctx: RequestContext,
  { connectionId, dryRun, ...request }: VendorRequest,
): Promise<ExecutionResult> {
  const { method, path, query, body } = request;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const fields = { method, path, query, headers, ...(body !== undefined && { body }) };
  const inputs = { fields, schemaProfile: '', filters: [], sorts: [], top: undefined, offset: undefined };
  const call = { ...inputs, ...NO_TOOL, connectionId, dryRun };
  return executeTool(ports, ctx, call, async () => {
    const connection = await ports.connections.getConnection(ctx, connectionId, undefined);
    refuseUnlicensed(connection);
    const connector = await ports.catalog.getConnector(ctx, connection.applicationSlug);
    const tool = passthroughTool(connector, connection, method);
    return { target: { tool, connection, resolution: 'explicit' }, inputs };
  });
}
