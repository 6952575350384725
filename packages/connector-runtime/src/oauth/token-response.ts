import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { ExpiryFormat, TokenResponseMapping } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { cutText } from '../cut-text.ts';
import { MAX_QUOTED_LENGTH } from '../failure.ts';
import { decodeRefusal } from '../http/body.ts';
import { valueAt } from '../json-pointer.ts';
import { isArray, isObject } from '../templates.ts';
import { TokenError } from './token-error.ts';

/** The tokens that a token endpoint granted. */
export interface TokenSet {
  readonly accessToken: string;
  /** The refresh token. Absent if the vendor sent none; then an earlier one stays valid. */
  readonly refreshToken?: string;
  /** The expiry. Absent if the vendor does not state it. */
  readonly expiresAt?: Date;
  /** The granted scopes; without a statement of the vendor, the requested ones (RFC 6749 section 5.1). */
  readonly scopes: readonly string[];
  /** Present if the vendor stated `scopes`. */
  readonly statesScopes?: true;
  /** The whole response, including the tokens. */
  readonly raw: JsonObject;
}

/** Errors of RFC 6749 section 4.1.2.1 and RFC 8628 that may be temporary; every other code is a final refusal. */
const TEMPORARY_ERRORS = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/** Reads the response of a token endpoint. Throws TokenError if it grants nothing. */
export function readTokenResponse(scheme: OAuth2Scheme, response: EgressResponse, now: Date): TokenSet {
  const mapping = scheme.tokenResponse;
  const body = responseBody(response);
  const accessToken = textAt(body, mapping.accessTokenPointers);
  // Some vendors refuse with status 200, so the members count as well as the status.
  if (!isSuccess(response.status) || accessToken === undefined) {
    throw refusal(mapping, response.status, body);
  }
  const refreshToken = textAt(body, mapping.refreshTokenPointers);
  const expiresAt = expiry(mapping.expiryFormat, firstAt(body, mapping.expiryPointers), now);
  const stated = grantedScopes(scheme, firstAt(body, mapping.scopePointers));
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    scopes: stated ?? scheme.scopes,
    ...(stated === undefined ? {} : { statesScopes: true }),
    raw: body,
  };
}

/** The body of a response that grants no token. Throws TokenError unless the vendor accepted the request. */
export function acceptedBody({ tokenResponse }: OAuth2Scheme, response: EgressResponse): JsonObject {
  const body = responseBody(response);
  if (!isSuccess(response.status) || errorCode(tokenResponse, body) !== undefined) {
    throw refusal(tokenResponse, response.status, body);
  }
  return body;
}

function refusal(mapping: TokenResponseMapping, status: number, body: JsonObject): TokenError {
  const vendorCode = errorCode(mapping, body);
  const text = errorText(mapping, status, body, vendorCode);
  const code =
    vendorCode !== undefined && Object.hasOwn(mapping.errorCodes, vendorCode)
      ? mapping.errorCodes[vendorCode]
      : vendorCode;
  if (status >= 500 || status === 429 || status === 408) return new TokenError('unavailable', text, { code });
  if (code !== undefined) {
    return new TokenError(TEMPORARY_ERRORS.has(code) ? 'unavailable' : 'refused', text, { code });
  }
  // Token endpoints refuse with 400 or 401. Another status without an error code comes from a proxy.
  return new TokenError(status === 400 || status === 401 ? 'refused' : 'unavailable', text);
}

function errorText(
  mapping: TokenResponseMapping,
  status: number,
  body: JsonObject,
  code: string | undefined,
): string {
  const description = textAt(body, mapping.errorMessagePointers);
  if (description !== undefined) {
    const quoted = cutText(description, MAX_QUOTED_LENGTH);
    return code === undefined ? quoted : `${quoted} (${code})`;
  }
  return code ?? `The vendor responded with ${status} and nothing that can be used.`;
}

/** The vendor's error code; some vendors use numbers, with 0 for success. */
function errorCode({ errorCodePointers }: TokenResponseMapping, body: JsonObject): string | undefined {
  const code = firstAt(body, errorCodePointers);
  if (typeof code === 'number') return code === 0 ? undefined : String(code);
  return typeof code === 'string' && code !== '' ? cutText(code, MAX_QUOTED_LENGTH) : undefined;
}

/** The first value that is present and not null or empty. */
function firstAt(body: JsonObject, pointers: readonly string[]): Json | undefined {
  for (const pointer of pointers) {
    const value = valueAt(body, pointer);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

function textAt(body: JsonObject, pointers: readonly string[]): string | undefined {
  for (const pointer of pointers) {
    const value = valueAt(body, pointer);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Parses JSON, or the form encoding of older vendors. */
function responseBody(response: EgressResponse): JsonObject {
  const body = decodeRefusal(response);
  if (isObject(body)) return body;
  const isForm = response.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return isForm && typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : {};
}

/** The expiry. Undefined also for a time in the past, by which vendors mean "unknown". */
function expiry(format: ExpiryFormat, stated: Json | undefined, now: Date): Date | undefined {
  const ms = expiryMs(format, stated, now.getTime());
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) || ms <= now.getTime() ? undefined : date;
}

function expiryMs(format: ExpiryFormat, stated: Json | undefined, nowMs: number): number {
  if (format === 'dateTime') return typeof stated === 'string' ? Date.parse(stated) : NaN;
  const number = typeof stated === 'string' ? Number(stated) : stated;
  if (typeof number !== 'number') return NaN;
  switch (format) {
    case 'seconds':
      return nowMs + number * 1000;
    case 'milliseconds':
      return nowMs + number;
    case 'epochSeconds':
      return number * 1000;
    case 'epochMilliseconds':
      return number;
  }
}

function grantedScopes(
  { scopeSeparator }: OAuth2Scheme,
  scope: Json | undefined,
): readonly string[] | undefined {
  if (typeof scope === 'string') {
    return scope
      .split(/[\s,]+/)
      .flatMap((text) => text.split(scopeSeparator))
      .filter((name) => name !== '');
  }
  return scope !== undefined && isArray(scope) ? scope.filter((name) => typeof name === 'string') : undefined;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
