import type { AuthenticationMethod, JsonObject, OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import type { ProviderChoice } from '../domain/client-choice.ts';
import { clientForCredentials, OWN_CLIENT_ID } from '../domain/client-choice.ts';
import { checkDirectFields, chooseOptionFields, splitSecrets } from '../domain/fields.ts';
import type { CompletedSignIn } from '../domain/sign-in.ts';
import { refuseState, requireSameMethod, requireState, stateExpired } from '../domain/sign-in.ts';
import type { NewCredential } from '../ports/connection-store.ts';
import type { OwnClients } from '../ports/own-clients.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';

/** What resolveCredential needs. */
export interface ResolveCredentialDeps {
  readonly signIns: Pick<SignInStore, 'find'>;
  readonly ownClients: Pick<OwnClients, 'find'>;
  readonly clock: Clock;
}

/** What a caller gave to authenticate with. */
export interface GivenCredential {
  readonly applicationSlug: string;
  readonly method: AuthenticationMethod;
  readonly oauthState: string | undefined;
  readonly provider: ProviderChoice;
  /** The fields to save; for a sign-in a function, called once its options are known. */
  readonly fields: JsonObject | ((signIn: CompletedSignIn) => JsonObject);
}

/**
 * Checks what was given against the method's rules and returns the credential to store. Writes nothing: the store
 * consumes a sign-in that it names, in the same write. Throws VALIDATION_ERROR, OAUTH_STATE_REQUIRED,
 * OAUTH_STATE_EXPIRED or NOT_FOUND (an auth provider).
 */
export async function resolveCredential(
  deps: ResolveCredentialDeps,
  ctx: RequestContext,
  given: GivenCredential,
): Promise<NewCredential> {
  const { scheme } = given.method;
  if (scheme.type === 'oauth2' && scheme.grant === 'authorizationCode')
    return await bySignIn(deps, ctx, given);
  refuseState(given.method.authenticationName, given.oauthState);
  const fields = typeof given.fields === 'function' ? {} : given.fields;
  if (scheme.type === 'oauth2') return byClientCredentials(deps, given, scheme, fields);
  return direct(given.method, fields, new Set(), null);
}

async function bySignIn(
  deps: ResolveCredentialDeps,
  ctx: RequestContext,
  given: GivenCredential,
): Promise<NewCredential> {
  const { method } = given;
  const state = requireState(method.authenticationName, given.oauthState);
  const signIn = isGuid(state)
    ? await deps.signIns.find(ctx, userOf(ctx), state, deps.clock.now())
    : undefined;
  if (signIn?.status !== 'completed') throw stateExpired();
  requireSameMethod(signIn, {
    applicationSlug: given.applicationSlug,
    authenticationId: method.authenticationId,
  });
  const { tokens, fieldOptions } = signIn.outcome;
  const wanted = typeof given.fields === 'function' ? given.fields(signIn) : given.fields;
  return {
    fields: splitSecrets(method, chooseOptionFields(fieldOptions, wanted)),
    fieldOptions,
    tokens,
    authProviderId: signIn.authProviderId,
    consumes: signIn.state,
  };
}

function byClientCredentials(
  deps: ResolveCredentialDeps,
  given: GivenCredential,
  scheme: OAuth2Scheme,
  fields: JsonObject,
): NewCredential {
  const { applicationSlug, method, provider } = given;
  const hasOwnClient = deps.ownClients.find(applicationSlug, method.authenticationId) !== undefined;
  if (clientForCredentials(scheme, provider, hasOwnClient, fields) === 'fields') {
    return direct(method, fields, new Set(), null);
  }
  return direct(method, fields, new Set([scheme.clientIdField, scheme.clientSecretField]), OWN_CLIENT_ID);
}

function direct(
  method: AuthenticationMethod,
  fields: JsonObject,
  heldElsewhere: ReadonlySet<string>,
  authProviderId: number | null,
): NewCredential {
  return {
    fields: splitSecrets(method, checkDirectFields(method, fields, heldElsewhere)),
    fieldOptions: {},
    tokens: null,
    authProviderId,
    consumes: null,
  };
}
