import type { AuthenticationMethod, OAuth2Scheme } from '@fairlead/connector-model/model';
import { tokenHost } from '@fairlead/connector-runtime/oauth/token-host';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { fieldValues } from '../domain/credential.ts';
import { schemeAt } from '../domain/mcp-sign-in.ts';
import { namesClient } from '../domain/oauth-client.ts';
import type { MethodClient, ProviderChoice } from '../domain/oauth-client.ts';
import { checkDirectFields, chooseOptionFields, splitSecrets } from '../domain/fields.ts';
import type { CompletedSignIn } from '../domain/sign-in.ts';
import { refuseState, requireSameMethod, requireState, stateExpired } from '../domain/sign-in.ts';
import type { NewCredential } from '../ports/connection-store.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { validationError } from '@fairlead/errors/api-error';
import { chooseClient } from './choose-client.ts';

type ResolveCredentialDeps = DepsOf<typeof chooseClient> & {
  readonly signIns: Pick<SignInStore, 'find'>;
  readonly clock: Clock;
};

/** Input from which a credential is built. */
export interface CredentialInput {
  readonly applicationSlug: string;
  readonly method: AuthenticationMethod;
  readonly oauthState: string | undefined;
  readonly provider: ProviderChoice;
  /** The connect session to which the sign-in must belong; absent: it must belong to none. */
  readonly connectSessionId?: string;
  /** The fields to save; for a sign-in a function that is called once its options are known. */
  readonly fields: LazyObject | ((signIn: CompletedSignIn) => LazyObject);
}

/**
 * Checks the input against the method's rules and returns the credential to store. Writes nothing: the store consumes the sign-in in the
 * same write. Throws VALIDATION_ERROR, OAUTH_STATE_REQUIRED, OAUTH_STATE_EXPIRED, NOT_FOUND (an auth provider) or INVALID_AUTH_PROVIDER.
 */
export async function resolveCredential(
  deps: ResolveCredentialDeps,
  ctx: RequestContext,
  input: CredentialInput,
): Promise<NewCredential> {
  const { scheme } = input.method;
  if (scheme.type === 'oauth2' && scheme.grant === 'authorizationCode')
    return await bySignIn(deps, ctx, input);
  refuseState(input.method.authenticationName, input.oauthState);
  const fields = typeof input.fields === 'function' ? {} : input.fields;
  if (scheme.type === 'oauth2') return await byClientCredentials(deps, ctx, input, scheme, fields);
  return direct(input.method, fields, new Set(), null);
}

async function bySignIn(
  deps: ResolveCredentialDeps,
  ctx: RequestContext,
  input: CredentialInput,
): Promise<NewCredential> {
  const { method } = input;
  const state = requireState(method.authenticationName, input.oauthState);
  const owner = { ...userOf(ctx), connectSessionId: input.connectSessionId ?? null };
  const signIn = isGuid(state) ? await deps.signIns.find(ctx, owner, state, deps.clock.now()) : undefined;
  if (signIn?.status !== 'completed') throw stateExpired();
  requireSameMethod(signIn, {
    applicationSlug: input.applicationSlug,
    authenticationId: method.authenticationId,
  });
  const { tokens, fieldOptions, grantedScopes } = signIn.outcome;
  const sentFields = typeof input.fields === 'function' ? input.fields(signIn) : input.fields;
  const chosen = splitSecrets(method, chooseOptionFields(fieldOptions, sentFields));
  const fields = {
    plain: { ...signIn.given.plain, ...chosen.plain },
    secret: { ...signIn.given.secret.reveal(), ...chosen.secret },
  };
  const field = fieldValues(fields.plain, { secretFields: new Secret(fields.secret), tokens });
  return {
    fields,
    fieldOptions,
    tokens,
    vendor:
      method.scheme.type === 'oauth2'
        ? tokenHost(schemeAt(method.scheme, signIn.server), { field })
        : undefined,
    authProviderId: signIn.authProviderId,
    addressRevision: signIn.addressRevision,
    grantedScopes,
    ...(signIn.server === undefined ? {} : { server: signIn.server }),
    consumes: signIn.state,
  };
}

async function byClientCredentials(
  deps: ResolveCredentialDeps,
  ctx: RequestContext,
  input: CredentialInput,
  scheme: OAuth2Scheme,
  fields: LazyObject,
): Promise<NewCredential> {
  const { method, provider } = input;
  // A client in the fields takes precedence over an unnamed default.
  const isOwn = provider.kind === 'default' && namesClient(scheme, fields);
  const client = isOwn ? undefined : await chooseClient(deps, ctx, input, provider);
  if (client === undefined) return direct(method, fields, new Set(), null);
  refuseOwnHost(method, fields);
  return direct(method, fields, new Set(Object.keys(client.fields)), client);
}

/** VALIDATION_ERROR for a field that would send somebody else's client to a host chosen by the caller. */
function refuseOwnHost({ fields }: AuthenticationMethod, values: LazyObject): void {
  const issues = fields
    .filter(({ name, allowedHosts }) => allowedHosts.includes('*') && (values[name] ?? null) !== null)
    .map(({ name }) => ({ field: `fields.${name}`, issue: 'is decided by the OAuth client that is used' }));
  if (issues.length > 0) throw validationError(...issues);
}

function direct(
  method: AuthenticationMethod,
  fields: LazyObject,
  heldElsewhere: ReadonlySet<string>,
  client: MethodClient | null,
): NewCredential {
  return {
    fields: splitSecrets(method, checkDirectFields(method, fields, heldElsewhere)),
    fieldOptions: {},
    tokens: null,
    grantedScopes: null,
    authProviderId: client?.authProviderId ?? null,
    addressRevision: client?.addressRevision ?? null,
    consumes: null,
  };
}
