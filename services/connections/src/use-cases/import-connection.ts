import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { tokenHost } from '@fairlead/connector-runtime/oauth/token-host';
import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import { isConnectableKind } from '../domain/connect-session.ts';
import type { Connection, LicenceStatus } from '../domain/connection.ts';
import { grantOf, requireMethod } from '../domain/connection.ts';
import { NO_VALUES } from '../domain/credential.ts';
import { checkDetails } from '../domain/details.ts';
import { requireEndUserId } from '../domain/end-user.ts';
import { noSignInClient } from '../domain/oauth-client.ts';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import { chooseClient } from './choose-client.ts';
import type { FindClientDeps } from './find-client.ts';

/** A connection that was made elsewhere, by the OAuth client that `provider` names. */
export interface ImportConnectionCommand extends MethodKey {
  readonly connectionName: string;
  readonly provider: ProviderChoice;
  /** Null: the account's own. */
  readonly endUserId: string | null;
  readonly accessToken: Secret;
  /** Null: the vendor issued none. */
  readonly refreshToken: Secret | null;
  /** When the access token expires; null: not known. */
  readonly expiresAt: Date | null;
  readonly licenceStatus: LicenceStatus;
  /** How many connections an end user may have. */
  readonly maxConnections: number;
}

/** What importConnection needs. */
export interface ImportConnectionDeps extends FindClientDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'nextId' | 'insert'>;
  readonly clock: Clock;
}

const TOKEN_MAX_CHARACTERS = 16_384;

/**
 * Stores a connection by its tokens and returns it. No vendor is called: a token that has expired is renewed at the first
 * call. VALIDATION_ERROR for an application or method without a sign-in, NOT_FOUND and INVALID_AUTH_PROVIDER as of a
 * sign-in, CONFLICT if the end user has as many connections as allowed.
 */
export async function importConnection(
  deps: ImportConnectionDeps,
  ctx: RequestContext,
  command: ImportConnectionCommand,
): Promise<Connection> {
  const { connectionName, endUserId, provider, accessToken, refreshToken, expiresAt, maxConnections } =
    command;
  const details = checkDetails({ connectionName, description: null, metadata: {} });
  if (endUserId !== null) requireEndUserId(endUserId);
  requireTokenLength('accessToken', accessToken);
  if (refreshToken !== null) requireTokenLength('refreshToken', refreshToken);
  const head = await deps.catalog.getConnector(ctx, command.applicationSlug);
  const method = requireMethod(head, command.authenticationId);
  if (!isConnectableKind(head.kind) || !requiresOAuthSignIn(method)) {
    throw validationError({
      field: 'authenticationId',
      issue: `${method.authenticationName} of ${head.name} does not use a sign-in`,
    });
  }
  const client = await chooseClient(deps, ctx, { applicationSlug: head.slug, method }, provider);
  if (client === undefined) throw noSignInClient(head.name);
  const { scheme } = method;
  const now = deps.clock.now();
  const accountId = accountOf(ctx);
  const connection = {
    id: await deps.connections.nextId(),
    accountId,
    endUserId,
    ...details,
    applicationSlug: head.slug,
    applicationName: head.name,
    kind: head.kind,
    authenticationId: method.authenticationId,
    authenticationName: method.authenticationName,
    grant: grantOf(method),
    needsReauthentication: false,
    licence: { status: command.licenceStatus, expiresAt: null },
    credential: {
      fields: { plain: {}, secret: {} },
      fieldOptions: {},
      tokens: { accessToken, refreshToken, obtainedAt: now, expiresAt, captured: NO_VALUES },
      vendor: scheme.type === 'oauth2' ? tokenHost(scheme, { field: client.fields }) : undefined,
      authProviderId: client.authProviderId,
      consumes: null,
    },
    createdAt: now,
  };
  return await deps.connections.insert(ctx, accountId, connection, { maxConnections });
}

function requireTokenLength(field: string, token: Secret): void {
  const { length } = token.reveal();
  if (length >= 1 && length <= TOKEN_MAX_CHARACTERS) return;
  throw validationError({ field, issue: `must have 1 to ${TOKEN_MAX_CHARACTERS} characters` });
}
