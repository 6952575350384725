import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@fairlead/errors/api-error';
import { z } from 'zod';
import type { Logger } from '../telemetry/logger.ts';
import type { Secret } from '../secret.ts';

/** A person, or a program with that person's API key, of an account. */
export interface UserCaller {
  readonly kind: 'user';
  readonly accountId: string;
  readonly userId: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

/** A service that calls on nobody's behalf, such as the gateway when a browser comes back from a sign-in. */
interface ServiceCaller {
  readonly kind: 'service';
  readonly service: string;
}

/** On whose behalf an RPC runs. */
export type Caller = UserCaller | ServiceCaller;

/** What every function below the edge gets first. */
export interface RequestContext {
  readonly requestId: string;
  readonly caller: Caller;
  /** Aborts when the caller is gone or the deadline has passed. */
  readonly signal: AbortSignal;
  /** In real time; undefined when the caller set none. */
  readonly deadline: Date | undefined;
  /** Writes the request id with each line. */
  readonly log: Logger;
}

/** Metadata key of the signed caller. */
export const CALLER_HEADER = 'x-fairlead-caller';
/** Metadata and HTTP header of the request id. */
export const REQUEST_ID_HEADER = 'x-request-id';

const TOKEN_LIFETIME_MS = 60_000;
// Two machines' clocks differ; a token from the near future is still ours.
const CLOCK_SKEW_MS = 5_000;
const SIGNING_DOMAIN = 'fairlead-caller-v1.';

/** Makes a context at the edge: the gateway, workers and tests. RPC methods take theirs from the RPC server. */
export function createRequestContext(o: {
  readonly requestId: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly deadline?: Date | undefined;
  readonly log: Logger;
}): RequestContext {
  let log: Logger | undefined;
  return {
    requestId: o.requestId,
    caller: o.caller,
    signal: o.signal,
    deadline: o.deadline,
    // Most requests write nothing through it, and a child logger is not free.
    get log() {
      return (log ??= o.log.child({ requestId: o.requestId }));
    },
  };
}

/** The caller as a user, or UNAUTHORIZED for a call that a service makes on nobody's behalf. */
export function userOf(ctx: RequestContext): UserCaller {
  if (ctx.caller.kind === 'user') return ctx.caller;
  throw new ApiError('UNAUTHORIZED', 'This operation needs the context of an account.');
}

/** The caller's account id, or UNAUTHORIZED for a call that a service makes on nobody's behalf. */
export function accountOf(ctx: RequestContext): string {
  return userOf(ctx).accountId;
}

const callerToken = z.strictObject({
  caller: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('user'),
      accountId: z.string().min(1),
      userId: z.string().min(1),
      roles: z.array(z.string()),
      permissions: z.array(z.string()),
    }),
    z.strictObject({ kind: z.literal('service'), service: z.string().min(1) }),
  ]),
  expiresAt: z.number(),
});

/**
 * Signs `caller` for the next 60 seconds: `<base64url of JSON>.<base64url of HMAC-SHA256 over the first part>`. The
 * HMAC key is the text of `key`.
 */
export function signCaller(caller: Caller, key: Secret, now: Date): string {
  const token: z.infer<typeof callerToken> = {
    caller:
      caller.kind === 'user'
        ? {
            kind: 'user',
            accountId: caller.accountId,
            userId: caller.userId,
            roles: [...caller.roles],
            permissions: [...caller.permissions],
          }
        : { kind: 'service', service: caller.service },
    expiresAt: now.getTime() + TOKEN_LIFETIME_MS,
  };
  const payload = Buffer.from(JSON.stringify(token)).toString('base64url');
  return `${payload}.${signature(payload, key).toString('base64url')}`;
}

/** A caller whose signature was checked, and the end of its time. */
export interface VerifiedCaller {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The caller that `token` was signed for, or UNAUTHORIZED when it is forged, malformed or out of its 60 seconds. */
export function verifyCaller(token: string, key: Secret, now: Date): VerifiedCaller {
  const [payload = '', mac = '', ...rest] = token.split('.');
  const expected = signature(payload, key);
  const given = Buffer.from(mac, 'base64url');
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refusal();
  const parsed = callerToken.safeParse(parseJson(payload));
  if (!parsed.success) throw refusal();
  assertCurrent(parsed.data, now);
  return parsed.data;
}

/** Throws UNAUTHORIZED when the time of a verified caller is over, or has not come by more than clocks differ. */
export function assertCurrent({ expiresAt }: VerifiedCaller, now: Date): void {
  const remainingMs = expiresAt - now.getTime();
  if (remainingMs <= 0 || remainingMs > TOKEN_LIFETIME_MS + CLOCK_SKEW_MS) throw refusal();
}

function signature(payload: string, key: Secret): Buffer {
  return createHmac('sha256', key.reveal())
    .update(SIGNING_DOMAIN + payload)
    .digest();
}

function parseJson(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function refusal(): ApiError {
  return new ApiError('UNAUTHORIZED', 'The caller context is missing, forged or expired.');
}
