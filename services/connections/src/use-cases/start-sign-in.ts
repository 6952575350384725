import { createHash, randomBytes } from 'node:crypto';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import { slotsOf } from '@fairlead/connector-model/provider-slots';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { requireSlots } from '../domain/auth-provider.ts';
import { connectorSlugOf, MCP_APPLICATION_SLUG } from '../domain/mcp-application.ts';
import { requireServerUrl, schemeAt, withOwnClient } from '../domain/mcp-sign-in.ts';
import {
  noSignInClient,
  oauthClientIn,
  OWN_CLIENT_ID,
  withScopes,
  withScopesOf,
} from '../domain/oauth-client.ts';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import { refuseReservedFields } from '../domain/fields.ts';
import { checkSignInFields, openedValues, withSlotDefaults } from '../domain/sign-in-fields.ts';
import { signInExpiry } from '../domain/sign-in.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { chooseClient } from './choose-client.ts';
import { discoverSignIn } from './discover-sign-in.ts';
import { getConnection } from './get-connection.ts';
import { requireMethod } from '../domain/require-method.ts';

/** The method to sign in with, the chosen OAuth client, and the values of its fields with `atSignIn`. */
export interface StartSignInCommand extends MethodKey {
  readonly provider: ProviderChoice;
  readonly fields: LazyObject;
  /** The connect session that the sign-in belongs to; absent: it is the user's own. */
  readonly connectSessionId?: string;
  /** The connection to re-authenticate, whose needed scopes are requested, too; absent: none. */
  readonly connectionId?: number;
}

type StartSignInDeps = DepsOf<typeof discoverSignIn | typeof chooseClient> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly tokenClient: Pick<TokenClient, 'authorizationUrl' | 'expectedIssuer'>;
  readonly signIns: Pick<SignInStore, 'insert'>;
};

/**
 * Records a sign-in of the calling user and returns where it continues. VALIDATION_ERROR for a method without sign-in, invalid start
 * fields, or a connection of another application or method; INVALID_FIELD for a field that no caller may set; NOT_FOUND for an auth
 * provider that the caller may not use; INVALID_AUTH_PROVIDER if there is no OAuth client, or the auth provider lacks a value.
 */
export async function startSignIn(
  deps: StartSignInDeps,
  ctx: RequestContext,
  command: StartSignInCommand,
): Promise<{ signInUrl: string; state: string }> {
  const { accountId, userId } = userOf(ctx);
  refuseReservedFields(command.fields);
  const head = await deps.catalog.getConnector(ctx, command.applicationSlug);
  const method = requireMethod(head, command.authenticationId);
  const { scheme } = method;
  if (scheme.type !== 'oauth2' || !requiresOAuthSignIn(method)) {
    throw validationError({
      field: 'authenticationId',
      issue: `${method.authenticationName} does not use a sign-in`,
    });
  }
  const values = checkSignInFields({ head, method }, command.fields);
  const needed = await neededScopes(deps, ctx, { head, method }, command.connectionId);
  const isMcp = head.kind === 'MCPClient';
  const found = isMcp
    ? await discoverSignIn(deps, ctx, method, requireServerUrl(values.plain), command.provider)
    : undefined;
  // All MCP applications have the methods of `mcp`, and a connection may move to another server.
  const applicationSlug = isMcp ? MCP_APPLICATION_SLUG : head.slug;
  const chosen =
    found?.client ?? (await chooseClient(deps, ctx, { applicationSlug, method }, command.provider));
  if (chosen === undefined) throw noSignInClient(head.name);
  const input = withSlotDefaults(
    method,
    found === undefined ? values : withOwnClient(values, found),
    chosen.fields,
  );
  const field = { ...openedValues(input), ...chosen.fields };
  if (chosen.authProviderId !== OWN_CLIENT_ID) {
    requireSlots(method, ({ fieldName }) => fieldName in chosen.fields);
  } else if (
    slotsOf(method).some(({ fieldName, isRequired }) => isRequired && !Object.hasOwn(field, fieldName))
  ) {
    // Only an auth provider can contain the client here.
    throw noSignInClient(head.name);
  }
  const requested = withScopes(schemeAt(withScopesOf(scheme, chosen), found?.server), needed);
  const client = oauthClientIn(requested, chosen.fields);
  if (client === undefined) throw noSignInClient(head.name);

  const state = guid();
  const codeVerifier = randomBytes(32).toString('base64url');
  const now = deps.clock.now();
  const redirectUri = found?.redirectUri ?? deps.addresses.redirectUri;
  const authorizeUrl = usableAddress(() =>
    deps.tokenClient.authorizationUrl(requested, {
      client,
      values: { field },
      redirectUri,
      state,
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    }),
  );
  await deps.signIns.insert(ctx, {
    state,
    accountId,
    userId,
    applicationSlug,
    applicationName: head.name,
    authenticationId: method.authenticationId,
    connectSessionId: command.connectSessionId ?? null,
    authProviderId: chosen.authProviderId,
    addressRevision: chosen.addressRevision,
    ...(found === undefined ? {} : { server: found.server }),
    scopes: requested.scopes,
    authorizeUrl,
    redirectUri,
    isPushed: scheme.pushedAuthorizationUrl !== null,
    issuer: usableAddress(() => deps.tokenClient.expectedIssuer(requested, { field })),
    codeVerifier: new Secret(codeVerifier),
    given: input,
    createdAt: now,
    expiresAt: signInExpiry(now),
  });
  return { signInUrl: deps.addresses.signInUrl(state), state };
}

/** The scopes that the connection's calls lacked. NOT_FOUND for an unknown connection, VALIDATION_ERROR for one of another method. */
async function neededScopes(
  { connections }: Pick<StartSignInDeps, 'connections'>,
  ctx: RequestContext,
  { head, method }: { readonly head: ConnectorHead; readonly method: AuthenticationMethod },
  connectionId: number | undefined,
): Promise<readonly string[]> {
  if (connectionId === undefined) return [];
  const connection = await getConnection({ connections }, ctx, connectionId);
  const isSame =
    connectorSlugOf(connection) === connectorSlugOf({ kind: head.kind, applicationSlug: head.slug }) &&
    connection.authenticationId === method.authenticationId;
  if (!isSame)
    throw validationError({ field: 'connectionId', issue: 'belongs to another application or method' });
  return connection.neededScopes ?? [];
}

/**
 * The vendor's address; INVALID_AUTH_PROVIDER if the values do not form one: the caller's values were checked, so the provider's are wrong.
 */
function usableAddress<T>(render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    throw new ApiError(
      'INVALID_AUTH_PROVIDER',
      `The values of the auth provider do not form an address of the vendor. ${error.message}`,
    );
  }
}
