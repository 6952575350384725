import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, OAuth2Scheme } from '@fairlead/connector-model/model';
import { slotsOf } from '@fairlead/connector-model/provider-slots';
import { placeholdersIn } from '@fairlead/connector-model/template';
import type { Credential } from '@fairlead/connector-runtime/call';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { OAuthClient } from '@fairlead/connector-runtime/token-client';
import { ApiError } from '@fairlead/errors/api-error';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { slotIssue } from './auth-provider.ts';
import type { AuthProviderWithSecrets } from './auth-provider.ts';

/** `authProviderId` of a connection that uses the connector's own OAuth client. */
export const OWN_CLIENT_ID = 0;

/** The OAuth client that a caller chose. `default`: the caller did not choose; `current`: keep the one in use, even if disabled. */
export type ProviderChoice =
  | { readonly kind: 'default' | 'connector' }
  | { readonly kind: 'provider'; readonly by: { readonly id: number } | { readonly name: string } }
  | { readonly kind: 'current'; readonly authProviderId: number };

/** An OAuth client for a method that is not stored in the connection's own fields. */
export interface MethodClient {
  /** 0: the connector's own client. */
  readonly authProviderId: number;
  /** Values of the method's fields that come from the client. */
  readonly fields: JsonObject;
  /** The client's secret values, for masking. */
  readonly secrets: readonly string[];
  /** Null: the method's scopes. */
  readonly scopes: readonly string[] | null;
  /** Whether the vendor refused it last time. */
  readonly hasError: boolean;
  /** `addressRevision` of the auth provider; null: its addresses never changed, or it is the connector's own client. */
  readonly addressRevision: string | null;
}

/** Fills in the connector's own client for the fields that name a client. */
export function ownMethodClient(scheme: OAuth2Scheme, client: OAuthClient): MethodClient {
  return {
    authProviderId: OWN_CLIENT_ID,
    fields: { [scheme.clientIdField]: client.clientId, [scheme.clientSecretField]: client.clientSecret },
    secrets: [client.clientSecret],
    scopes: null,
    hasError: false,
    addressRevision: null,
  };
}

/** Fills in an auth provider's values for the method's fields with slots. */
export function providerMethodClient(
  method: Pick<AuthenticationMethod, 'fields'>,
  { provider, secrets }: AuthProviderWithSecrets,
): MethodClient {
  const values: Readonly<Record<string, string>> = { ...provider.values, ...secrets.reveal() };
  const entries = slotsOf(method).flatMap(({ slot, fieldName }): [string, Json][] => {
    const value = values[slot];
    // A value that is no longer valid for the field is left out: it could lead the client's secret to another host.
    const isUsable = value !== undefined && slotIssue(method, slot, value) === undefined;
    return isUsable ? [[fieldName, value]] : [];
  });
  return {
    authProviderId: provider.id,
    fields: Object.fromEntries(entries),
    secrets: Object.values(secrets.reveal()),
    scopes: provider.scopes,
    hasError: provider.lastError !== null,
    addressRevision: provider.addressRevision ?? null,
  };
}

/**
 * The client's id and secret from the values of the method's fields; undefined if one is missing. A public client has no secret; a client
 * that signs assertions may have neither.
 */
export function oauthClientIn(
  { clientIdField, clientSecretField, clientAuthentication, assertion }: OAuth2Scheme,
  fields: JsonObject,
): OAuthClient | undefined {
  const absent = assertion === null ? undefined : '';
  const clientId = fields[clientIdField] ?? absent;
  const clientSecret = clientAuthentication === 'none' ? '' : (fields[clientSecretField] ?? absent);
  return typeof clientId === 'string' && typeof clientSecret === 'string'
    ? { clientId, clientSecret }
    : undefined;
}

/** Whether the given fields name their own OAuth client, or contain a key that signs assertions. */
export function namesClient(
  { clientIdField, clientSecretField, assertion }: OAuth2Scheme,
  values: LazyObject,
): boolean {
  const names = assertion === null ? [clientIdField, clientSecretField] : [assertion.privateKeyField];
  return names.some((name) => (values[name] ?? null) !== null);
}

/** The scheme with the client's scopes. */
export function withScopesOf(scheme: OAuth2Scheme, client: MethodClient | undefined): OAuth2Scheme {
  return (client?.scopes ?? null) === null ? scheme : { ...scheme, scopes: client?.scopes ?? [] };
}

/** The scheme with `scopes` added. */
export function withScopes(scheme: OAuth2Scheme, scopes: readonly string[]): OAuth2Scheme {
  return { ...scheme, scopes: [...new Set([...scheme.scopes, ...scopes])] };
}

/** A credential completed with an auth provider's values; the connector's own client is not added. */
export function withProviderFields(credential: Credential, client: MethodClient | undefined): Credential {
  if (client === undefined || client.authProviderId === OWN_CLIENT_ID) return credential;
  return {
    ...credential,
    fields: { ...credential.fields, ...client.fields },
    secrets: [...new Set([...credential.secrets, ...client.secrets])],
  };
}

/** The client's values that are not secret. */
export function shownFieldsOf({ fields, secrets }: MethodClient): JsonObject {
  const entries = Object.entries(fields).filter(
    ([, value]) => typeof value !== 'string' || !secrets.includes(value),
  );
  return Object.fromEntries(entries);
}

/** Error codes by which a vendor refuses the client, independent of the grant. Source: RFC 6749 section 5.2. */
const CLIENT_REFUSALS: ReadonlySet<string | undefined> = new Set(['invalid_client', 'unauthorized_client']);

/** Whether a vendor refused the OAuth client itself, not its request. */
export function isClientRefusal(error: unknown): error is TokenError {
  return error instanceof TokenError && error.kind === 'refused' && isClientRefusalCode(error.code);
}

/** Whether a vendor refuses the client with this code. */
export function isClientRefusalCode(code: string | undefined): boolean {
  return CLIENT_REFUSALS.has(code);
}

/** The code by which a vendor refuses a grant. Source: RFC 6749 section 5.2. */
export const GRANT_REFUSAL = 'invalid_grant';

/** Whether a vendor refused the grant itself, so that only a new one helps; any other request may succeed later. */
export function isGrantRefusal(error: unknown): error is TokenError {
  return error instanceof TokenError && error.kind === 'refused' && error.code === GRANT_REFUSAL;
}

/**
 * Converts the error of a token request that needs no person's consent. If the name and password of an API user are wrong, vendors answer
 * with the code of a refused grant. If these values come from an auth provider, the provider counts as refused, and the connection stays as
 * it is.
 */
export function unattendedRefusal(
  error: unknown,
  { grant, tokenParameters }: OAuth2Scheme,
  used: MethodClient | undefined,
): unknown {
  if (grant !== 'password' || used === undefined || !isGrantRefusal(error)) return error;
  const { username = '', password = '' } = tokenParameters;
  const isHeld = placeholdersIn([username, password]).every(({ name }) => Object.hasOwn(used.fields, name));
  return isHeld ? new TokenError('refused', error.message, { code: 'invalid_client' }) : error;
}

/** The INVALID_AUTH_PROVIDER error for a sign-in without a client. */
export function noSignInClient(applicationName: string): ApiError {
  return new ApiError(
    'INVALID_AUTH_PROVIDER',
    `This installation has no OAuth client for ${applicationName}, so the sign-in needs an auth provider.`,
  );
}
