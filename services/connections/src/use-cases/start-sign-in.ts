import { createHash, randomBytes } from 'node:crypto';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { requireSlots } from '../domain/auth-provider.ts';
import { noSignInClient, oauthClientIn, OWN_CLIENT_ID, withScopesOf } from '../domain/oauth-client.ts';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import { requireMethod } from '../domain/connection.ts';
import { signInExpiry } from '../domain/sign-in.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import type { SignInAddresses } from '../domain/sign-in-addresses.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { chooseClient } from './choose-client.ts';
import type { FindClientDeps } from './find-client.ts';

/** What startSignIn needs. */
export interface StartSignInDeps extends FindClientDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly tokenClient: Pick<TokenClient, 'authorizationUrl' | 'expectedIssuer'>;
  readonly signIns: Pick<SignInStore, 'insert'>;
  readonly addresses: SignInAddresses;
  readonly clock: Clock;
}

/**
 * Records a sign-in of the calling user and returns where it continues. VALIDATION_ERROR for a method without a
 * sign-in, NOT_FOUND for an auth provider that the caller may not use, INVALID_AUTH_PROVIDER if there is no OAuth client
 * for it or the auth provider lacks a value.
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
  const target = { applicationSlug: head.slug, method };
  const chosen = await chooseClient(deps, ctx, target, command.provider);
  if (chosen === undefined) throw noSignInClient(head.name);
  if (chosen.authProviderId !== OWN_CLIENT_ID)
    requireSlots(method, ({ fieldName }) => fieldName in chosen.fields);
  const client = oauthClientIn(scheme, chosen.fields);
  if (client === undefined) throw noSignInClient(head.name);
  const asked = withScopesOf(scheme, chosen);

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
    authProviderId: chosen.authProviderId,
    scopes: asked.scopes,
    authorizeUrl: deps.tokenClient.authorizationUrl(asked, {
      client,
      values: { field: chosen.fields },
      redirectUri: deps.addresses.redirectUri,
      state,
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    }),
    isPushed: scheme.pushedAuthorizationUrl !== null,
    issuer: deps.tokenClient.expectedIssuer(asked, { field: chosen.fields }),
    codeVerifier: new Secret(codeVerifier),
    createdAt: now,
    expiresAt: signInExpiry(now),
  });
  return { signInUrl: deps.addresses.signInUrl(state), state };
}
