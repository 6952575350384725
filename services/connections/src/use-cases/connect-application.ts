import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectSession } from '../domain/connect-session.ts';
import { connectsOnce, MAX_REFUSED_ATTEMPTS, requireSessionMethod } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import { grantOf, newMembers } from '../domain/connection.ts';
import { checkDetails } from '../domain/details.ts';
import { refuseReservedFields, stillValid } from '../domain/fields.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { endUserPermit } from '../domain/vendor-permits.ts';
import type { ConnectionStore, NewCredential } from '../ports/connection-store.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import { findSessionApplication } from './find-session-application.ts';
import type { SessionApplication } from './find-session-application.ts';
import { resolveCredential } from './resolve-credential.ts';
import { requirePlace } from './require-place.ts';
import type { TrialResult } from './try-credential.ts';
import { tryCredential } from './try-credential.ts';
import { useSession } from './use-session.ts';

/** The application that an end user connects, with method and values. */
export interface ConnectApplicationCommand extends MethodKey {
  readonly fields: LazyObject;
  readonly oauthState: string | undefined;
}

type ConnectApplicationDeps = DepsOf<
  | typeof useSession
  | typeof findSessionApplication
  | typeof requirePlace
  | typeof resolveCredential
  | typeof tryCredential
> & {
  readonly connections: Pick<ConnectionStore, 'nextId' | 'insert' | 'replace'>;
  readonly connectSessions: Pick<ConnectSessionStore, 'countAttempt' | 'forgetAttempt' | 'saveLastError'>;
};

const TOO_MANY_REFUSED = `${MAX_REFUSED_ATTEMPTS} attempts of this session were refused, and it takes no more. Ask for a new link.`;

/** The stored connection, or the reason why nothing was stored, for people. */
export type ConnectOutcome = { readonly connection: Connection } | { readonly refusal: string };

/**
 * Stores a connection of the calling end user, or renews the session's connection. Fields are first tried at the vendor, until
 * MAX_REFUSED_ATTEMPTS were refused in the session. NOT_FOUND for anything that the session does not offer, CONFLICT if the end user has
 * the maximum number of connections, and errors of resolveCredential. On an error nothing is stored, and a sign-in stays usable.
 */
export async function connectApplication(
  deps: ConnectApplicationDeps,
  ctx: RequestContext,
  command: ConnectApplicationCommand,
): Promise<ConnectOutcome> {
  const { session, opener } = await useSession(deps, ctx);
  const application = await findSessionApplication(deps, opener, session, command.applicationSlug);
  const method = requireSessionMethod(application.head, application.renews, command.authenticationId);
  const { head, renews, provider } = application;
  const details = detailsOf(session, application);
  refuseReservedFields(command.fields);
  if (renews === undefined) await requirePlace(deps, opener, session);
  const resolved = await resolveCredential(deps, opener, {
    applicationSlug: connectorSlugOf({ kind: head.kind, applicationSlug: head.slug }),
    method,
    provider,
    oauthState: command.oauthState,
    connectSessionId: session.id,
    fields:
      renews === undefined || grantOf(method) !== 'authorizationCode'
        ? command.fields
        : (signIn) => ({ ...stillValid(signIn.outcome.fieldOptions, renews.fields), ...command.fields }),
  });
  // A sign-in need not be tried: the vendor has just granted it.
  const tried =
    resolved.consumes === null
      ? await tryInSession(deps, opener, session, { head, method }, resolved)
      : { credential: resolved };
  if ('refusal' in tried) {
    const { accountId, id } = session;
    await deps.connectSessions.saveLastError(opener, accountId, id, tried.refusal, deps.clock.now());
    return tried;
  }
  const { credential } = tried;
  const connection = await store(deps, opener, { session, application, method, details, credential });
  return { connection };
}

/** Tries a credential; counted before the vendor is asked, so that concurrent attempts cannot exceed the limit. */
async function tryInSession(
  deps: ConnectApplicationDeps,
  ctx: RequestContext,
  { accountId, id, endUserId }: ConnectSession,
  used: Pick<Parameters<typeof tryCredential>[2], 'head' | 'method'>,
  credential: NewCredential,
): Promise<TrialResult> {
  if (!(await deps.connectSessions.countAttempt(ctx, accountId, id))) return { refusal: TOO_MANY_REFUSED };
  let isRefused = false;
  try {
    const tried = await tryCredential(
      deps,
      ctx,
      { ...used, permit: endUserPermit(accountId, endUserId, ctx.signal) },
      credential,
    );
    isRefused = 'refusal' in tried;
    return tried;
  } finally {
    // If the caller has left, the vendor's answer is unknown, so the attempt stays counted.
    if (!isRefused && !ctx.signal.aborted) await deps.connectSessions.forgetAttempt(ctx, accountId, id);
  }
}

async function store(
  deps: ConnectApplicationDeps,
  ctx: RequestContext,
  o: {
    readonly session: ConnectSession;
    readonly application: SessionApplication;
    readonly method: AuthenticationMethod;
    readonly details: ReturnType<typeof checkDetails>;
    readonly credential: NewCredential;
  },
): Promise<Connection> {
  const { session, method, details, credential } = o;
  const { head, renews } = o.application;
  const { accountId, endUserId, maxConnections } = session;
  const use = { sessionId: session.id, connectsOnce: connectsOnce(session) };
  const now = deps.clock.now();
  if (renews !== undefined) {
    const replacement = { details, credential, applicationName: undefined, now, session: use };
    return await deps.connections.replace(ctx, accountId, renews.id, replacement);
  }
  const connection = {
    id: await deps.connections.nextId(),
    accountId,
    endUserId,
    ...details,
    ...newMembers(head, method, session.licenceStatus),
    credential,
    createdAt: now,
  };
  return await deps.connections.insert(ctx, accountId, connection, { maxConnections, session: use });
}

/** When renewing, members that the session does not give stay. */
function detailsOf(
  { metadata }: ConnectSession,
  { head, renews }: SessionApplication,
): ReturnType<typeof checkDetails> {
  const keepsMetadata = renews !== undefined && Object.keys(metadata.parseObject()).length === 0;
  return checkDetails({
    connectionName: renews?.connectionName ?? head.name,
    description: renews?.description ?? null,
    metadata: keepsMetadata ? renews.metadata : metadata,
  });
}
