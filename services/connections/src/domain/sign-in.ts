import { createHash } from 'node:crypto';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Secret } from '@fairlead/service-kit/secret';
import type { FieldOptions } from './connection.ts';
import type { Tokens } from './credential.ts';

/** A sign-in lives this long from its start, whatever happens to it. Source: developer-api.md "Limits". */
export const SIGN_IN_LIFETIME_MS = 300_000;

/** What is known of a sign-in from its start on. */
export interface SignInHead {
  /** A GUID; names the sign-in to the caller, the browser and the vendor. */
  readonly state: string;
  readonly accountId: string;
  readonly userId: string;
  readonly applicationSlug: string;
  readonly applicationName: string;
  readonly authenticationId: number;
  /** 0: the connector's own OAuth client. */
  readonly authProviderId: number;
  /** Where the vendor asks the person. */
  readonly authorizeUrl: string;
  readonly createdAt: Date;
  /** From this moment on it is as if it had never been. */
  readonly expiresAt: Date;
}

/** What an authorised sign-in brought. */
export interface SignInOutcome {
  readonly tokens: Tokens;
  readonly suggestedName: string;
  readonly grantedScopes: readonly string[];
  readonly fieldOptions: FieldOptions;
}

/** A sign-in as its account sees it. One whose code is being redeemed is still pending. */
export type SignIn = SignInHead &
  (
    | { readonly status: 'pending' }
    | { readonly status: 'completed'; readonly outcome: SignInOutcome }
    | { readonly status: 'failed'; readonly reason: string }
  );

/** An authorised sign-in. */
export type CompletedSignIn = Extract<SignIn, { status: 'completed' }>;

/** A sign-in whose code this call, and no other, may redeem. */
export interface RedeemableSignIn extends SignInHead {
  readonly codeVerifier: Secret;
}

/** When a sign-in started at `now` ends. */
export function signInExpiry(now: Date): Date {
  return new Date(now.getTime() + SIGN_IN_LIFETIME_MS);
}

/** What is stored of the secret that binds a sign-in to a browser: its SHA-256, in hex. */
export function hashBinding(browserBinding: Secret): string {
  return createHash('sha256').update(browserBinding.reveal()).digest('hex');
}

/** OAUTH_STATE_EXPIRED, the same for expired, unknown, used and foreign states, so that nobody learns which. */
export function stateExpired(): ApiError {
  return new ApiError(
    'OAUTH_STATE_EXPIRED',
    'The sign-in has expired, was used, or does not exist. Start a new one.',
  );
}

/** OAUTH_SIGN_IN_FAILED; `reason` is for people and holds no secret. */
export function signInFailed(reason: string): ApiError {
  return new ApiError('OAUTH_SIGN_IN_FAILED', `The sign-in failed: ${reason}`);
}

/** The state a sign-in method was given, or OAUTH_STATE_REQUIRED; an empty one is none. */
export function requireState(authenticationName: string, oauthState: string | undefined): string {
  if (oauthState !== undefined && oauthState !== '') return oauthState;
  throw new ApiError(
    'OAUTH_STATE_REQUIRED',
    `The method ${authenticationName} needs the oauthState of a completed sign-in.`,
  );
}

/** Throws VALIDATION_ERROR for a sign-in that is offered to a method without one; an empty one is none. */
export function refuseState(authenticationName: string, oauthState: string | undefined): void {
  if (oauthState === undefined || oauthState === '') return;
  throw validationError({ field: 'oauthState', issue: `the method ${authenticationName} takes no sign-in` });
}

/** Throws VALIDATION_ERROR unless the sign-in was for that application and method. */
export function requireSameMethod(
  signIn: Pick<SignInHead, 'applicationSlug' | 'authenticationId'>,
  wanted: { readonly applicationSlug: string; readonly authenticationId: number },
): void {
  const isSame =
    signIn.applicationSlug === wanted.applicationSlug && signIn.authenticationId === wanted.authenticationId;
  if (!isSame) throw validationError({ field: 'oauthState', issue: 'is of another application or method' });
}

/** What the vendor sent back to the callback. */
export type CallbackAnswer =
  | { readonly kind: 'code'; readonly code: string; readonly issuer: string | null }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads the query string of a callback. Source: RFC 6749 section 4.1.2, RFC 9207. */
export function readCallback(query: string): CallbackAnswer {
  const parameters = new URLSearchParams(query);
  const error = parameters.get('error');
  if (error !== null) return { kind: 'refused', reason: parameters.get('error_description') ?? error };
  const code = parameters.get('code');
  if (code === null || code === '')
    return { kind: 'refused', reason: 'the vendor sent no authorization code' };
  return { kind: 'code', code, issuer: parameters.get('iss') };
}

/**
 * Whether an answer with that `iss` may come from the server that was asked (RFC 9207). Connectors do not state an
 * issuer, so the origin of the authorize address is what is recorded and compared: an answer that another server
 * mixed in has another one.
 */
export function isExpectedIssuer(issuer: string | null, authorizeUrl: string): boolean {
  if (issuer === null) return true;
  return URL.canParse(issuer) && new URL(issuer).origin === new URL(authorizeUrl).origin;
}

/** A name for the new connection that none of the account's other connections of the application has. */
export function suggestName(applicationName: string, taken: readonly string[]): string {
  const names = new Set(taken);
  let name = applicationName;
  for (let count = 2; names.has(name); count += 1) name = `${applicationName} ${count}`;
  return name;
}
