import type { Json, JsonObject, OAuth2Scheme } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/service-kit/egress/egress';
import { cutText } from '../cut-text.ts';
import { MAX_QUOTED_LENGTH } from '../failure.ts';
import { decodeRefusal } from '../http/body.ts';
import { isArray, isObject } from '../templates.ts';
import { TokenError } from './token-error.ts';

/** What a token endpoint granted. */
export interface TokenSet {
  readonly accessToken: string;
  /** Absent if the vendor sent none: an older one, if any, stays valid. */
  readonly refreshToken?: string;
  /** Absent if the vendor does not state it. */
  readonly expiresAt?: Date;
  /** The granted scopes; the requested ones if the vendor does not state them (RFC 6749 section 5.1). */
  readonly scopes: readonly string[];
  /** The whole response; holds the tokens. */
  readonly raw: JsonObject;
}

/** Errors of RFC 6749 sections 4.1.2.1 and RFC 8628 that may be temporary; every other code is a final refusal. */
const TEMPORARY_ERRORS = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/** Reads the response of a token endpoint. Throws TokenError if it grants nothing. */
export function readTokenResponse(scheme: OAuth2Scheme, response: EgressResponse, now: Date): TokenSet {
  const body = responseBody(response);
  const accessToken = body['access_token'];
  // Some vendors refuse with status 200, so the members decide as well as the status.
  if (!isSuccess(response.status) || typeof accessToken !== 'string' || accessToken === '') {
    throw refusal(response.status, body);
  }
  const refreshToken = body['refresh_token'];
  const expiresAt = expiry(body['expires_in'], now);
  return {
    accessToken,
    ...(typeof refreshToken === 'string' && refreshToken !== '' ? { refreshToken } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    scopes: grantedScopes(body['scope']) ?? scheme.scopes,
    raw: body,
  };
}

/** Throws TokenError unless a response that grants nothing says that the request was accepted. */
export function checkAccepted(response: EgressResponse): void {
  const body = responseBody(response);
  if (!isSuccess(response.status) || textMember(body, 'error') !== undefined) {
    throw refusal(response.status, body);
  }
}

function refusal(status: number, body: JsonObject): TokenError {
  const text = errorText(status, body);
  const code = textMember(body, 'error');
  if (status >= 500 || status === 429 || status === 408) return new TokenError('unavailable', text, { code });
  if (code !== undefined) {
    return new TokenError(TEMPORARY_ERRORS.has(code) ? 'unavailable' : 'refused', text, { code });
  }
  // A token endpoint refuses with 400 or 401; any other status without an error code comes from something in between.
  return new TokenError(status === 400 || status === 401 ? 'refused' : 'unavailable', text);
}

function errorText(status: number, body: JsonObject): string {
  const code = textMember(body, 'error');
  const description = textMember(body, 'error_description') ?? textMember(body, 'message');
  if (description !== undefined) return code === undefined ? description : `${description} (${code})`;
  return code ?? `The token endpoint responded with ${status} and no access token.`;
}

function textMember(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? cutText(value, MAX_QUOTED_LENGTH) : undefined;
}

/** JSON, or the form encoding that older vendors use. */
function responseBody(response: EgressResponse): JsonObject {
  const body = decodeRefusal(response);
  if (isObject(body)) return body;
  const isForm = response.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return isForm && typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : {};
}

function expiry(expiresIn: Json | undefined, now: Date): Date | undefined {
  const seconds = typeof expiresIn === 'string' && expiresIn !== '' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return new Date(now.getTime() + seconds * 1000);
}

function grantedScopes(scope: Json | undefined): readonly string[] | undefined {
  if (typeof scope === 'string') return scope.split(/[\s,]+/).filter((name) => name !== '');
  return scope !== undefined && isArray(scope) ? scope.filter((name) => typeof name === 'string') : undefined;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
