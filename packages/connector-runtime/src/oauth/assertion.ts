import { createPrivateKey, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { SigningAlgorithm, TokenAssertion } from '@fairlead/connector-model/model';
import { SignJWT } from 'jose';
import { CallFailure } from '../failure.ts';
import { missingValue, renderText } from '../templates.ts';
import type { TemplateValues } from '../templates.ts';
import { renderUrl } from '../url-template.ts';
import { TokenError } from './token-error.ts';

/** The `grant_type` of a JWT bearer grant. Source: RFC 7523 section 2.1. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Maximum length of a key. It is far above the keys of these algorithms; parsing and using a key takes time in
 * proportion to its length.
 */
const MAX_KEY_LENGTH = 16 * 1024;
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 4096;
const CURVES: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1' };

/**
 * The signed assertion of a scheme (RFC 7523 section 3), with a new `jti`. Throws TokenError, whose message does not
 * contain the key: `invalid_client` if the key cannot be used, because the owner of the connection or auth provider
 * has to replace it.
 */
export async function signAssertion(
  scheme: OAuth2Scheme,
  assertion: TokenAssertion,
  values: TemplateValues,
  now: Date,
): Promise<string> {
  const { algorithm, lifetimeSeconds, keyId } = assertion;
  const key = readKey(values.field?.[assertion.privateKeyField], algorithm);
  const kid = keyId === null ? undefined : renderText(keyId, values);
  const issuedAt = Math.floor(now.getTime() / 1000);
  return await new SignJWT(claimsOf(scheme, assertion, values))
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(kid === undefined ? {} : { kid }) })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .setJti(randomUUID())
    .sign(key);
}

function claimsOf(
  scheme: OAuth2Scheme,
  { issuer, subject, audience, scopesIn, claims }: TokenAssertion,
  values: TemplateValues,
): Record<string, string> {
  try {
    const iss = renderText(issuer, values);
    const aud = audience === null ? renderUrl(scheme.tokenUrl, values).href : renderText(audience, values);
    if (iss === undefined) throw missingValue(issuer);
    if (aud === undefined) throw missingValue(audience ?? '');
    const optional = { ...claims, ...(subject === null ? {} : { sub: subject }) };
    const optionalClaims = Object.entries(optional).flatMap(([name, template]): [string, string][] => {
      const value = renderText(template, values);
      return value === undefined || value === '' ? [] : [[name, value]];
    });
    const hasScope = scopesIn === 'claim' && scheme.scopes.length > 0;
    return {
      ...Object.fromEntries(optionalClaims),
      iss,
      aud,
      ...(hasScope ? { scope: scheme.scopes.join(scheme.scopeSeparator) } : {}),
    };
  } catch (error) {
    if (error instanceof CallFailure) throw new TokenError('refused', error.message, { cause: error });
    throw error;
  }
}

function readKey(pem: unknown, algorithm: SigningAlgorithm): KeyObject {
  if (typeof pem !== 'string' || pem === '') throw unusable('is missing');
  if (pem.length > MAX_KEY_LENGTH) throw unusable('is too long');
  // Line breaks are escaped in keys that were copied out of a JSON file.
  const text = pem.replaceAll('\\n', '\n').trim();
  if (!/^-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(text)) {
    throw unusable('must be in PEM format, beginning with -----BEGIN PRIVATE KEY-----, without a passphrase');
  }
  const key = parsed(text);
  checkKind(key, algorithm);
  return key;
}

function parsed(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    // No `cause`: it may quote the key.
    throw unusable('cannot be read; it is damaged, or has a passphrase');
  }
}

function checkKind(
  { asymmetricKeyType, asymmetricKeyDetails }: KeyObject,
  algorithm: SigningAlgorithm,
): void {
  const curve = CURVES[algorithm];
  if (curve !== undefined) {
    if (asymmetricKeyType !== 'ec' || asymmetricKeyDetails?.namedCurve !== curve)
      throw unusable(`must be a key of the curve ${curve}`);
    return;
  }
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    throw unusable(`must be an RSA key of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits`);
}

function unusable(problem: string): TokenError {
  return new TokenError('refused', `The private key ${problem}.`, { code: 'invalid_client' });
}
