import { createHash, randomBytes } from 'node:crypto';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import type { ProviderChoice } from '../domain/client-choice.ts';
import { OWN_CLIENT_ID, requireSignInClient } from '../domain/client-choice.ts';
import { requireMethod } from '../domain/connection.ts';
import { signInExpiry } from '../domain/sign-in.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { MethodKey, OwnClients } from '../ports/own-clients.ts';
import type { SignInAddresses } from '../domain/sign-in-addresses.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';

/** What startSignIn needs. */
export interface StartSignInDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly ownClients: Pick<OwnClients, 'find'>;
  readonly tokenClient: Pick<TokenClient, 'authorizationUrl'>;
  readonly signIns: Pick<SignInStore, 'insert'>;
  readonly addresses: SignInAddresses;
  readonly clock: Clock;
}

/**
 * Records a sign-in of the calling user and returns where it continues. VALIDATION_ERROR for a method without a
 * sign-in, INVALID_AUTH_PROVIDER if there is no OAuth client for it.
 */
export async function startSignIn(
  deps: StartSignInDeps,
  ctx: RequestContext,
  command: MethodKey & { readonly provider: ProviderChoice },
): Promise<{ signInUrl: string; state: string }> {
  const { accountId, userId } = userOf(ctx);
  const head = await deps.catalog.getConnector(ctx, command.applicationSlug);
  const method = requireMethod(head, command.authenticationId);
  const { scheme } = method;
  if (scheme.type !== 'oauth2' || !requiresOAuthSignIn(method)) {
    throw validationError({
      field: 'authenticationId',
      issue: `${method.authenticationName} does not use a sign-in`,
    });
  }
  const client = deps.ownClients.find(head.slug, method.authenticationId);
  requireSignInClient(command.provider, client, head.name);

  const state = guid();
  const codeVerifier = randomBytes(32).toString('base64url');
  const now = deps.clock.now();
  await deps.signIns.insert(ctx, {
    state,
    accountId,
    userId,
    applicationSlug: head.slug,
    applicationName: head.name,
    authenticationId: method.authenticationId,
    authProviderId: OWN_CLIENT_ID,
    scopes: scheme.scopes,
    authorizeUrl: deps.tokenClient.authorizationUrl(scheme, {
      client,
      values: {},
      redirectUri: deps.addresses.redirectUri,
      state,
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    }),
    codeVerifier: new Secret(codeVerifier),
    createdAt: now,
    expiresAt: signInExpiry(now),
  });
  return { signInUrl: deps.addresses.signInUrl(state), state };
}
