import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ApiError } from '@fairlead/errors/api-error';
import { z } from 'zod';
import type { KeyRing } from '../key-ring.ts';
import type { Secret } from '../secret.ts';
import { callerMembers, callerSchema, RESTRICTING_MEMBERS } from './caller.ts';
import type { Caller } from './caller.ts';

/** Metadata key of the signed caller. */
export const CALLER_HEADER = 'x-fairlead-caller';

const TOKEN_LIFETIME_MS = 60_000;
// Tolerance for clocks of other machines: a token from the near future is valid.
const CLOCK_SKEW_MS = 5_000;
const SIGNING_DOMAIN = 'fairlead-caller-v2';

// The members of a token besides the caller's own, in the same object.
const claimsSchema = z.object({
  /** The service that may accept the token. */
  audience: z.string().min(1),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** Members of the token that its recipient must understand (as `crit` of RFC 7515, 4.1.11). */
  critical: z.array(z.string()).nonempty().optional(),
  /** Names of the services whose canary serves the request. Absent: not chosen yet. */
  canaries: z.array(z.string()).readonly().optional(),
});

/** The audience of a token, and the keys that both sides have. */
export interface CallerTokenScope {
  /** The name of the called service. */
  readonly audience: string;
  readonly keys: KeyRing;
}

/**
 * Signs `caller` and the request's choice of `canaries`, for the next 60 seconds and for one service: `<key
 * version>.<base64url of JSON>.<base64url of HMAC-SHA256 over both>`, with the ring's current key.
 */
export function signCaller(
  caller: Caller,
  { audience, keys }: CallerTokenScope,
  now: Date,
  canaries?: readonly string[],
): string {
  const key = keys.keys.get(keys.current);
  if (key === undefined) throw new Error(`The key ${keys.current} is not in its key ring.`);
  // Parsed by the schema, so that only known members are signed.
  const members = callerSchema.parse(caller);
  const [first, ...others] = RESTRICTING_MEMBERS.filter((name) => name in members);
  const claims: z.infer<typeof claimsSchema> = {
    audience,
    expiresAt: now.getTime() + TOKEN_LIFETIME_MS,
    ...(first !== undefined && { critical: [first, ...others] }),
    ...(canaries !== undefined && { canaries }),
  };
  const payload = Buffer.from(JSON.stringify({ ...members, ...claims }));
  const signed = `${keys.current}.${payload.toString('base64url')}`;
  return `${signed}.${signature(signed, key).toString('base64url')}`;
}

/** A verified caller, and the time when it expires. */
export interface VerifiedCaller {
  readonly caller: Caller;
  /** The canaries signed with the caller. */
  readonly canaries: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Verifies a token and returns its caller. Throws UNAUTHORIZED if the token is forged, malformed, outside of its 60
 * seconds, for another service, of an unknown kind, or has a critical member that this release does not know. Other
 * unknown members are ignored.
 */
export function verifyCaller(token: string, { audience, keys }: CallerTokenScope, now: Date): VerifiedCaller {
  const payload = verifiedPayload(token, keys);
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) throw refusal();
  const { expiresAt, critical = [], canaries } = claims.data;
  if (claims.data.audience !== audience)
    throw new ApiError(
      'UNAUTHORIZED',
      `The caller context is for ${claims.data.audience}, not for ${audience}.`,
    );
  const caller = callerSchema.safeParse(payload);
  if (!caller.success) throw notUnderstood();
  const known = new Set([...callerMembers[caller.data.kind], ...Object.keys(claimsSchema.shape)]);
  if (!critical.every((name) => known.has(name))) throw notUnderstood();
  assertCurrent({ expiresAt }, now);
  return { caller: caller.data, canaries, expiresAt };
}

/** Throws UNAUTHORIZED if a verified caller has expired, or lies further in the future than clocks may differ. */
export function assertCurrent({ expiresAt }: Pick<VerifiedCaller, 'expiresAt'>, now: Date): void {
  const remainingMs = expiresAt - now.getTime();
  if (remainingMs <= 0 || remainingMs > TOKEN_LIFETIME_MS + CLOCK_SKEW_MS) throw refusal();
}

function verifiedPayload(token: string, keys: KeyRing): unknown {
  const [version = '', payload = '', mac = '', ...rest] = token.split('.');
  const key = keys.keys.get(version);
  if (key === undefined || rest.length > 0) throw refusal();
  const expected = signature(`${version}.${payload}`, key);
  const bytes = Buffer.from(mac, 'base64url');
  if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) throw refusal();
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    throw refusal();
  }
}

// An HMAC with a key of bytes costs four times as much as one with a prepared key.
const prepared = new WeakMap<Secret<Uint8Array>, KeyObject>();

function prepare(key: Secret<Uint8Array>): KeyObject {
  const keyObject = prepared.get(key) ?? createSecretKey(key.reveal());
  prepared.set(key, keyObject);
  return keyObject;
}

function signature(signed: string, key: Secret<Uint8Array>): Buffer {
  return createHmac('sha256', prepare(key)).update(`${SIGNING_DOMAIN}.${signed}`).digest();
}

function refusal(): ApiError {
  return new ApiError('UNAUTHORIZED', 'The caller context is missing, forged or expired.');
}

function notUnderstood(): ApiError {
  return new ApiError(
    'UNAUTHORIZED',
    'The caller context has a kind or a critical member that this release does not know.',
  );
}
