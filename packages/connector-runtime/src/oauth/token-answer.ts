import type { Json, JsonObject, OAuth2Scheme } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/service-kit/egress/egress';
import { cutText } from '../cut-text.ts';
import { decodeBody } from '../http/body.ts';
import { isArray, isObject } from '../templates.ts';
import { TokenError } from './token-error.ts';

/** What a token endpoint granted. */
export interface TokenSet {
  readonly accessToken: string;
  /** Absent where the vendor sent none: an older one, if any, stays valid. */
  readonly refreshToken?: string;
  /** Absent where the vendor does not say. */
  readonly expiresAt?: Date;
  /** As granted; what was asked for where the vendor does not say (RFC 6749 section 5.1). */
  readonly scopes: readonly string[];
  /** The whole answer; holds the tokens. */
  readonly raw: JsonObject;
}

const MAX_TEXT_LENGTH = 500;

/** Errors of RFC 6749 sections 4.1.2.1 and RFC 8628 that may pass; every other code is a final no. */
const PASSING_ERRORS = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/** Reads the answer of a token endpoint. Throws TokenError when it grants nothing. */
export function readTokenAnswer(scheme: OAuth2Scheme, response: EgressResponse, now: Date): TokenSet {
  const body = answerBody(response);
  const accessToken = body['access_token'];
  // Some vendors refuse with status 200, so that the members decide and not the status.
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

function refusal(status: number, body: JsonObject): TokenError {
  const text = errorText(status, body);
  const code = textMember(body, 'error');
  if (status >= 500 || status === 429 || status === 408) return new TokenError('unavailable', text, { code });
  if (code !== undefined) {
    return new TokenError(PASSING_ERRORS.has(code) ? 'unavailable' : 'refused', text, { code });
  }
  // 400 and 401 are what a token endpoint refuses with; any other status without an error code is somebody else's.
  return new TokenError(status === 400 || status === 401 ? 'refused' : 'unavailable', text);
}

function errorText(status: number, body: JsonObject): string {
  const code = textMember(body, 'error');
  const description = textMember(body, 'error_description') ?? textMember(body, 'message');
  if (description !== undefined) return code === undefined ? description : `${description} (${code})`;
  return code ?? `The token endpoint answered ${status} without an access token.`;
}

function textMember(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? cutText(value, MAX_TEXT_LENGTH) : undefined;
}

/** JSON, or the form encoding that older vendors answer with. */
function answerBody(response: EgressResponse): JsonObject {
  const body = decodeBody(response);
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
