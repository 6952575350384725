import type { JsonObject } from '@fairlead/connector-model/json';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { Connection } from '../domain/connection.ts';
import { CredentialChanged, refuseAgentConnection } from '../domain/connection.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import { checkDetails } from '../domain/details.ts';
import { chooseOptionFields, refuseReservedFields, stillValid } from '../domain/fields.ts';
import { connectorSlugOf, mcpApplicationName } from '../domain/mcp-application.ts';
import { refuseState, requireState } from '../domain/sign-in.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionReplacement, ConnectionStore, NewCredential } from '../ports/connection-store.ts';
import { getConnection } from './get-connection.ts';
import { publishMcpApplication } from './publish-mcp-application.ts';
import { readMcpServer } from './read-mcp-server.ts';
import { resolveCredential } from './resolve-credential.ts';
import type { ToolReader } from './read-tools-again.ts';
import { requireMethod } from '../domain/require-method.ts';

type Store = (
  rest: Pick<ConnectionReplacement, 'credential' | 'applicationName' | 'ofVersion'>,
) => Promise<Connection>;

/** How long a PUT waits for the tools of an MCP server, if it only refreshes them. */
const READ_AGAIN_TIMEOUT_MS = 5_000;
/** Attempts to store choices while the credential is concurrently replaced or renewed. */
const MAX_CHOICES = 5;

/** The parts that a PUT replaces. */
export interface ReplaceConnectionCommand {
  readonly id: number;
  readonly details: ConnectionDetails;
  /** Undefined: the credential stays. */
  readonly fields: LazyObject | undefined;
  /** State of a new sign-in; undefined: none. */
  readonly oauthState: string | undefined;
}

type ReplaceConnectionDeps = DepsOf<
  typeof resolveCredential | typeof readMcpServer | typeof publishMcpApplication
> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'find' | 'replace'>;
  readonly toolReader: Pick<ToolReader, 'read'>;
};

/**
 * Replaces name, description and metadata; with fields or a sign-in also the credential, which makes the connection usable again and
 * re-reads an MCP server's tools. The id stays. On an error nothing has changed, with one exception: if the catalogue is unavailable, an
 * MCP connection may have its new credential with its former tools.
 */
export async function replaceConnection(
  deps: ReplaceConnectionDeps,
  ctx: RequestContext,
  command: ReplaceConnectionCommand,
): Promise<Connection> {
  checkDetails(command.details);
  refuseReservedFields(command.fields ?? {});
  const accountId = accountOf(ctx);
  const existing = await getConnection(deps, ctx, command.id);
  refuseAgentConnection(existing);
  const store: Store = (rest) =>
    deps.connections.replace(ctx, accountId, command.id, {
      details: command.details,
      ...rest,
      now: deps.clock.now(),
    });
  const isSignIn = existing.grant === 'authorizationCode';
  if (!isSignIn) refuseState(existing.authenticationName, command.oauthState);
  else if (command.oauthState !== undefined) requireState(existing.authenticationName, command.oauthState);
  // An MCP server's sign-in offers no choices.
  const hasNoChoices = isSignIn && existing.kind === 'MCPClient';
  if ((command.fields === undefined || hasNoChoices) && (command.oauthState ?? '') === '') {
    return await withToolsReadAgain(
      deps,
      ctx,
      await store({ credential: undefined, applicationName: undefined }),
    );
  }

  const head = await deps.catalog.getConnector(ctx, connectorSlugOf(existing));
  const method = requireMethod(head, existing.authenticationId);
  if (isSignIn && command.oauthState === undefined) {
    const find = () => deps.connections.find(ctx, accountId, command.id);
    return await storeChoices(existing, command.fields ?? {}, find, store);
  }
  const credential = await resolveCredential(deps, ctx, {
    applicationSlug: connectorSlugOf(existing),
    method,
    oauthState: command.oauthState,
    provider:
      existing.authProviderId === null
        ? { kind: 'default' }
        : { kind: 'current', authProviderId: existing.authProviderId },
    fields: command.fields ?? ((signIn) => stillValid(signIn.outcome.fieldOptions, existing.fields)),
  });
  if (existing.kind !== 'MCPClient') return await store({ credential, applicationName: undefined });
  const server = await readMcpServer(deps, ctx, head, method, credential);
  const stored = await store({ credential, applicationName: mcpApplicationName(existing.id, server) });
  await publishMcpApplication(deps, ctx, stored, head, server);
  return (await deps.connections.find(ctx, accountId, command.id)) ?? stored;
}

/** The connection after re-reading its tools. If the server is down or slow, the former tools stay. */
async function withToolsReadAgain(
  { toolReader, connections }: ReplaceConnectionDeps,
  ctx: RequestContext,
  stored: Connection,
): Promise<Connection> {
  if (stored.kind === 'MCPClient') {
    await toolReader.read(detachedContext(ctx, READ_AGAIN_TIMEOUT_MS), stored).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      ctx.log.info(
        { err: error, connectionId: stored.id },
        'could not read the tools of an MCP server: the previous ones are kept',
      );
    });
    return (await connections.find(ctx, stored.accountId, stored.id)) ?? stored;
  }
  return stored;
}

/** Stores other choices for the connection's current sign-in. If it was replaced meanwhile, the choices are checked against the new one. */
async function storeChoices(
  existing: Connection,
  fields: LazyObject,
  find: () => Promise<Connection | undefined>,
  store: Store,
): Promise<Connection> {
  let found: Connection | undefined = existing;
  for (let attempt = 1; ; attempt += 1) {
    if (found === undefined) throw notFound('connection');
    const credential = otherChoices(found, chooseOptionFields(found.fieldOptions, fields));
    try {
      return await store({ credential, applicationName: undefined, ofVersion: found.credentialVersion });
    } catch (error) {
      if (!(error instanceof CredentialChanged) || attempt === MAX_CHOICES) throw error;
      found = await find();
    }
  }
}

/** Other choices among those of the sign-in; its tokens and start fields stay. */
function otherChoices(existing: Connection, chosen: JsonObject): NewCredential {
  return {
    fields: { plain: { ...existing.fields, ...chosen }, secret: {} },
    fieldOptions: existing.fieldOptions,
    tokens: 'keep',
    authProviderId: existing.authProviderId,
    addressRevision: existing.addressRevision,
    consumes: null,
  };
}
