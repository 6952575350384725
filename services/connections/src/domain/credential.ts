import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Credential } from '@fairlead/connector-runtime/call';
import { Secret } from '@fairlead/service-kit/secret';

/** Values of a method's fields, plain and secret ones. */
export interface FieldValues {
  readonly plain: JsonObject;
  readonly secret: Secret<JsonObject>;
}

/** No values. */
export const NO_VALUES: FieldValues = { plain: {}, secret: new Secret({}) };

/** Tokens from a vendor's token endpoint, as stored. */
export interface Tokens {
  readonly accessToken: Secret;
  /** Null if the vendor issued none. */
  readonly refreshToken: Secret | null;
  readonly obtainedAt: Date;
  /** Null if the vendor did not state it. */
  readonly expiresAt: Date | null;
  /** Values that the vendor sent in the callback or with the tokens, for later requests (`capturedFrom`). */
  readonly captured: FieldValues;
}

/** The decrypted secrets of a connection. */
export interface CredentialSecrets {
  readonly secretFields: Secret<JsonObject>;
  /** Null for methods without tokens, and before the first tokens of a client-credentials method. */
  readonly tokens: Tokens | null;
}

/** The tokens to store after a token response. Without a new refresh token, the one in `former` is kept. */
export function keptTokens(
  granted: { readonly accessToken: string; readonly refreshToken?: string; readonly expiresAt?: Date },
  former: Tokens | null,
  now: Date,
  captured: FieldValues,
): Tokens {
  return {
    accessToken: new Secret(granted.accessToken),
    refreshToken:
      granted.refreshToken === undefined ? (former?.refreshToken ?? null) : new Secret(granted.refreshToken),
    obtainedAt: now,
    expiresAt: granted.expiresAt ?? null,
    captured,
  };
}

/** `fresh`: use it. `due`: use it, and renew it now. `expired`: renew it before use. */
export type TokenState = 'fresh' | 'due' | 'expired';

const REFRESH_MARGIN_MS = 60_000;
const REFRESH_MARGIN_SHARE = 0.1;

/**
 * Whether an access token may be used at `now`. It is due max(60 s, 10 % of its lifetime) before it expires, but never
 * before half of its lifetime: a vendor with one-minute tokens would otherwise be asked on every call.
 */
export function tokenState(tokens: Pick<Tokens, 'obtainedAt' | 'expiresAt'>, now: Date): TokenState {
  if (tokens.expiresAt === null) return 'fresh';
  const expiresMs = tokens.expiresAt.getTime();
  if (now.getTime() >= expiresMs) return 'expired';
  const lifetimeMs = expiresMs - tokens.obtainedAt.getTime();
  const marginMs = Math.min(Math.max(REFRESH_MARGIN_MS, lifetimeMs * REFRESH_MARGIN_SHARE), lifetimeMs / 2);
  return now.getTime() >= expiresMs - marginMs ? 'due' : 'fresh';
}

/** Every secret text in a credential, for masking. */
export function secretTexts(credential: CredentialSecrets): readonly string[] {
  const texts = textsIn(credential.secretFields.reveal());
  if (credential.tokens !== null) {
    texts.push(...textsIn(credential.tokens.captured.secret.reveal()));
    texts.push(credential.tokens.accessToken.reveal());
    if (credential.tokens.refreshToken !== null) texts.push(credential.tokens.refreshToken.reveal());
  }
  return [...new Set(texts)].filter((text) => text !== '');
}

/** Every value in a connection's own fields, secret ones included. */
export function fieldValues(
  plainFields: JsonObject,
  { secretFields, tokens }: CredentialSecrets,
): JsonObject {
  const captured = tokens?.captured ?? NO_VALUES;
  return { ...plainFields, ...secretFields.reveal(), ...captured.plain, ...captured.secret.reveal() };
}

/** The credential in plain text, as a vendor call needs it. */
export function callCredential(
  version: number,
  plainFields: JsonObject,
  opened: CredentialSecrets,
): Credential {
  const { tokens } = opened;
  return {
    version,
    fields: fieldValues(plainFields, opened),
    ...(tokens === null ? {} : { accessToken: tokens.accessToken.reveal() }),
    secrets: secretTexts(opened),
  };
}

function textsIn(value: Json): string[] {
  if (value === null || typeof value === 'boolean') return [];
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return Object.values(value).flatMap(textsIn);
}
