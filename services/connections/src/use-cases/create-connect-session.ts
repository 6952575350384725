import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { mayUseProviders } from '../domain/auth-provider.ts';
import type {
  ConnectSession,
  ConnectSessionRequest,
  ConnectSessionTerms,
} from '../domain/connect-session.ts';
import { checkSessionRequest, connectsKind, hashSessionToken, mayRenew } from '../domain/connect-session.ts';
import { checkMetadata } from '../domain/details.ts';
import { requireEndUserId } from '../domain/end-user.ts';
import type { SignInAddresses } from '../domain/sign-in-addresses.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

interface CreateConnectSessionDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly connectSessions: Pick<ConnectSessionStore, 'insert'>;
  readonly addresses: SignInAddresses;
  readonly clock: Clock;
}

/** A session with its token; neither is stored yet. */
export interface SessionWithToken {
  readonly session: ConnectSession;
  readonly token: Secret;
  readonly connectUrl: Secret;
}

// 256 bits.
const TOKEN_LENGTH = 43;
const MINUTE_MS = 60_000;

/**
 * Opens a session for an end user and returns it with its token. NOT_FOUND for an unknown application, and for a connection to renew that
 * is neither the end user's nor, if so requested, shared; VALIDATION_ERROR for applications that end users cannot connect, and for invalid
 * members.
 */
export async function createConnectSession(
  deps: CreateConnectSessionDeps,
  ctx: RequestContext,
  request: ConnectSessionRequest,
): Promise<SessionWithToken> {
  const { accountId, userId, permissions } = userOf(ctx);
  requireEndUserId(request.endUserId);
  checkMetadata(request.metadata);
  const terms = checkSessionRequest(request);
  await requireTargets(deps, ctx, accountId, terms);
  const token = new Secret(`cst_${randomBase62(TOKEN_LENGTH)}`);
  const now = deps.clock.now();
  const session = await deps.connectSessions.insert(ctx, {
    ...terms,
    id: prefixedId('cs'),
    accountId,
    userId,
    mayUseProviders: mayUseProviders(permissions),
    tokenHash: hashSessionToken(token),
    createdAt: now,
    expiresAt: new Date(now.getTime() + request.expiresInMinutes * MINUTE_MS),
  });
  return { session, token, connectUrl: new Secret(deps.addresses.connectUrl(token.reveal())) };
}

async function requireTargets(
  deps: CreateConnectSessionDeps,
  ctx: RequestContext,
  accountId: string,
  terms: ConnectSessionTerms,
): Promise<void> {
  const { applicationSlugs, connectionId } = terms;
  for (const [index, slug] of applicationSlugs.entries()) {
    const { kind } = await deps.catalog.getConnector(ctx, slug);
    if (!connectsKind(terms, kind)) throw cannotConnect(`applicationSlugs[${index}]`);
  }
  if (connectionId === null) return;
  const connection = await deps.connections.find(ctx, accountId, connectionId);
  if (connection === undefined || !mayRenew(terms, connection)) throw notFound('connection');
  if (!connectsKind(terms, connection.kind)) throw cannotConnect('connectionId');
  if (applicationSlugs.length > 0 && !applicationSlugs.includes(connection.applicationSlug))
    throw validationError({
      field: 'applicationSlugs',
      issue: 'must include the application of connectionId',
    });
}

function cannotConnect(field: string): Error {
  return validationError({ field, issue: 'is of a kind that end users cannot connect' });
}
