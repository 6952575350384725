import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import type { Connection, LicenceStatus } from '../domain/connection.ts';
import { newMembers, refuseAgentApplication } from '../domain/connection.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import { checkDetails } from '../domain/details.ts';
import { refuseReservedFields } from '../domain/fields.ts';
import { newConnectionPermit } from '../domain/vendor-permits.ts';
import { mcpApplicationName, mcpApplicationSlug, refuseOwnedApplication } from '../domain/mcp-application.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore, NewCredential } from '../ports/connection-store.ts';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { publishMcpApplication } from './publish-mcp-application.ts';
import { readMcpServer } from './read-mcp-server.ts';
import { resolveCredential } from './resolve-credential.ts';
import { tryCredential } from './try-credential.ts';
import { requireMethod } from '../domain/require-method.ts';

export interface CreateConnectionCommand {
  readonly details: ConnectionDetails;
  readonly applicationSlug: string;
  /** Undefined: the application's default method. */
  readonly authenticationId: number | undefined;
  readonly fields: LazyObject;
  readonly oauthState: string | undefined;
  /** Used by client-credentials methods only. */
  readonly provider: ProviderChoice;
  readonly licenceStatus: LicenceStatus;
  /** Whether the vendor is asked first; not needed for a sign-in. */
  readonly isTested: boolean;
}

type CreateConnectionDeps = DepsOf<
  typeof resolveCredential | typeof tryCredential | typeof readMcpServer | typeof publishMcpApplication
> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'nextId' | 'insert' | 'delete'>;
};

const CLEAN_UP_TIMEOUT_MS = 10_000;

/**
 * Stores a connection and returns it. No vendor is called, except to test fields if the command says so, and to read an MCP server's tools.
 * On an error nothing is stored, and a sign-in stays usable. One exception: if the catalogue becomes unavailable in between, an MCP
 * connection's sign-in is used up, and the connection may remain; the account can delete it.
 */
export async function createConnection(
  deps: CreateConnectionDeps,
  ctx: RequestContext,
  command: CreateConnectionCommand,
): Promise<Connection> {
  checkDetails(command.details);
  refuseReservedFields(command.fields);
  const head = await deps.catalog.getConnector(ctx, command.applicationSlug);
  refuseOwnedApplication(head);
  refuseAgentApplication(head);
  const method = requireMethod(head, command.authenticationId);
  const resolved = await resolveCredential(deps, ctx, { ...command, method });
  if (head.kind === 'MCPClient')
    return await createMcpConnection(deps, ctx, command, { head, method, credential: resolved });
  const credential =
    command.isTested && resolved.consumes === null
      ? await requireAccepted(deps, ctx, { head, method }, resolved)
      : resolved;
  const id = await deps.connections.nextId();
  return await insert(deps, ctx, id, command, { head, method, credential });
}

/** The credential, if the vendor accepts it; otherwise VALIDATION_ERROR with the vendor's words. */
async function requireAccepted(
  deps: DepsOf<typeof tryCredential>,
  ctx: RequestContext,
  used: { readonly head: ConnectorHead; readonly method: AuthenticationMethod },
  credential: NewCredential,
): Promise<NewCredential> {
  const permit = newConnectionPermit(accountOf(ctx), used.head.slug, ctx.signal);
  const tried = await tryCredential(deps, ctx, { ...used, permit }, credential);
  if ('credential' in tried) return tried.credential;
  throw validationError({ field: 'fields', issue: `were refused by ${used.head.name}: ${tried.refusal}` });
}

interface ConnectionSource {
  readonly head: ConnectorHead;
  readonly method: AuthenticationMethod;
  readonly credential: NewCredential;
}

async function createMcpConnection(
  deps: CreateConnectionDeps,
  ctx: RequestContext,
  command: CreateConnectionCommand,
  chosen: ConnectionSource,
): Promise<Connection> {
  const server = await readMcpServer(deps, ctx, chosen.head, chosen.method, chosen.credential);
  const id = await deps.connections.nextId();
  // The connection is stored before its application: see publish-mcp-application.ts.
  const connection = await insert(deps, ctx, id, command, {
    ...chosen,
    head: { ...chosen.head, slug: mcpApplicationSlug(id), name: mcpApplicationName(id, server) },
  });
  try {
    await publishMcpApplication(deps, ctx, connection, chosen.head, server);
  } catch (error) {
    await rollBack(deps, ctx, connection);
    throw error;
  }
  return connection;
}

/** Removes everything that a failed creation stored. If that fails, too, the connection stays until its account deletes it. */
async function rollBack(
  deps: CreateConnectionDeps,
  ctx: RequestContext,
  connection: Connection,
): Promise<void> {
  const { accountId, id, applicationSlug } = connection;
  const cleanUp = detachedContext(ctx, CLEAN_UP_TIMEOUT_MS);
  try {
    // delete-connection.ts explains the order.
    await deps.catalog.deleteApplication(cleanUp, applicationSlug);
    await deps.connections.delete(cleanUp, accountId, id, deps.clock.now());
  } catch (error) {
    ctx.log.warn({ err: error, connectionId: id }, 'could not roll back a connection');
  }
}

async function insert(
  { connections, clock }: CreateConnectionDeps,
  ctx: RequestContext,
  id: number,
  { details, licenceStatus }: CreateConnectionCommand,
  { head, method, credential }: ConnectionSource,
): Promise<Connection> {
  const accountId = accountOf(ctx);
  return await connections.insert(ctx, accountId, {
    id,
    accountId,
    endUserId: null,
    ...details,
    ...newMembers(head, method, licenceStatus),
    credential,
    createdAt: clock.now(),
  });
}
