import { createHash } from 'node:crypto';
import type { ExpectedIssuer } from '@fairlead/connector-runtime/token-client';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { Secret } from '@fairlead/service-kit/secret';
import type { FieldOptions } from './connection.ts';
import type { FieldValues, Tokens } from './credential.ts';
import type { DiscoveredServer } from './mcp-sign-in.ts';

/** The lifetime of a sign-in from its start, whatever its status. Source: row limits.11. */
export const SIGN_IN_LIFETIME_MS = 300_000;

/** The members of a sign-in that are known from its start. */
export interface SignInHead {
  /** A GUID that identifies the sign-in to the caller, the browser and the vendor. */
  readonly state: string;
  readonly accountId: string;
  readonly userId: string;
  readonly applicationSlug: string;
  readonly applicationName: string;
  readonly authenticationId: number;
  /** The connect session that it belongs to exclusively; null: it is the user's own. */
  readonly connectSessionId: string | null;
  /** 0: the connector's own OAuth client. */
  readonly authProviderId: number;
  /** `addressRevision` of the client when the sign-in started. */
  readonly addressRevision: string | null;
  /** The vendor's page that asks the person for consent. */
  readonly authorizeUrl: string;
  /** The redirect URI; a response that arrives at another address is not redeemed. */
  readonly redirectUri: string;
  /** Whether the parameters of `authorizeUrl` are pushed to the vendor before the browser goes there (RFC 9126). */
  readonly isPushed: boolean;
  /** The expected issuer of the response; null: unknown. */
  readonly issuer: ExpectedIssuer | null;
  /** For an MCP server: its authorization server, as found. */
  readonly server?: DiscoveredServer;
  /** The requested scopes, with the vendor's names. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** Expiry: from then on the sign-in is treated as if it did not exist. */
  readonly expiresAt: Date;
}

/** The result of an authorised sign-in. */
export interface SignInOutcome {
  readonly tokens: Tokens;
  readonly suggestedName: string;
  readonly grantedScopes: readonly string[];
  readonly fieldOptions: FieldOptions;
}

/** A sign-in as its account sees it; while its code is being redeemed it is still pending. */
export type SignIn = SignInHead &
  (
    | { readonly status: 'pending' }
    | { readonly status: 'completed'; readonly outcome: SignInOutcome; readonly given: FieldValues }
    | { readonly status: 'failed'; readonly reason: string }
  );

/** An authorised sign-in. */
export type CompletedSignIn = Extract<SignIn, { status: 'completed' }>;

/** A sign-in with the values given at its start. */
export interface StartedSignIn extends SignInHead {
  /** The fields that the caller gave, and defaults of others. */
  readonly given: FieldValues;
}

/** A sign-in whose code only this call may redeem. */
export interface RedeemableSignIn extends StartedSignIn {
  readonly codeVerifier: Secret;
}

/** When a sign-in that starts at `now` expires. */
export function signInExpiry(now: Date): Date {
  return new Date(now.getTime() + SIGN_IN_LIFETIME_MS);
}

/** The stored form of the secret that binds a sign-in to a browser: its SHA-256, in hex. */
export function hashBinding(browserBinding: Secret): string {
  return createHash('sha256').update(browserBinding.reveal()).digest('hex');
}

/** OAUTH_STATE_EXPIRED, the same for expired, unknown, used and other callers' states, so that they cannot be told apart. */
export function stateExpired(): ApiError {
  return new ApiError(
    'OAUTH_STATE_EXPIRED',
    'The sign-in has expired, has already been used, or does not exist. Start a new one.',
  );
}

/** OAUTH_SIGN_IN_FAILED; `reason` is for people and contains no secret. */
export function signInFailed(reason: string): ApiError {
  return new ApiError('OAUTH_SIGN_IN_FAILED', `The sign-in failed: ${reason}`);
}

/** Returns the state for a sign-in method; throws OAUTH_STATE_REQUIRED if it is absent or empty. */
export function requireState(authenticationName: string, oauthState: string | undefined): string {
  if (oauthState !== undefined && oauthState !== '') return oauthState;
  throw new ApiError(
    'OAUTH_STATE_REQUIRED',
    `The method ${authenticationName} needs the oauthState of a completed sign-in. POST /v1/connections/get-sign-in-url starts one.`,
  );
}

/** Throws VALIDATION_ERROR for a state with a method without sign-in; an empty one counts as absent. */
export function refuseState(authenticationName: string, oauthState: string | undefined): void {
  if (oauthState === undefined || oauthState === '') return;
  throw validationError({
    field: 'oauthState',
    issue: `the method ${authenticationName} does not use a sign-in`,
  });
}

/** Throws VALIDATION_ERROR unless the sign-in was for that application and method. */
export function requireSameMethod(
  signIn: Pick<SignInHead, 'applicationSlug' | 'authenticationId'>,
  target: { readonly applicationSlug: string; readonly authenticationId: number },
): void {
  const isSame =
    signIn.applicationSlug === target.applicationSlug && signIn.authenticationId === target.authenticationId;
  if (!isSame)
    throw validationError({ field: 'oauthState', issue: 'belongs to another application or method' });
}

/** The vendor's response to the authorization request, as the callback received it. */
export type CallbackResponse = { readonly issuer: string | null } & (
  | {
      readonly kind: 'code';
      readonly code: string;
      /** All parameters that the vendor sent. */
      readonly parameters: URLSearchParams;
    }
  /** `code` as the vendor sent it; empty if it sent neither code nor error. */
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
);

/** Reads the query string of a callback. Source: RFC 6749 section 4.1.2, RFC 9207. */
export function readCallback(query: string): CallbackResponse {
  const parameters = new URLSearchParams(query);
  const issuer = parameters.get('iss');
  const error = parameters.get('error');
  if (error !== null)
    return { kind: 'refused', code: error, reason: parameters.get('error_description') ?? error, issuer };
  const code = parameters.get('code');
  if (code === null || code === '')
    return { kind: 'refused', code: '', reason: 'the vendor sent no authorization code', issuer };
  return { kind: 'code', code, issuer, parameters };
}

/**
 * Whether a response with that `iss` may come from the authorization server that got the request (RFC 9207 section 2.4). If the expected
 * issuer is unknown, the origin of the authorize address is compared: a response that was mixed in by another server has a different
 * origin.
 */
export function isExpectedIssuer(
  issuer: string | null,
  server: Pick<SignInHead, 'issuer' | 'authorizeUrl'>,
): boolean {
  if (issuer === null) return server.issuer?.isRequired !== true;
  if (server.issuer !== null) return issuer === server.issuer.url;
  return URL.canParse(issuer) && new URL(issuer).origin === new URL(server.authorizeUrl).origin;
}

/** The person who started a sign-in, as the caller of work on their behalf: their browser sends no credential. */
export function signInCaller({ accountId, userId }: Pick<SignInHead, 'accountId' | 'userId'>): Caller {
  return { kind: 'user', accountId, userId, roles: [], permissions: [] };
}
