import type { Caller } from './caller.ts';
import { assertCurrent, signCaller, verifyCaller } from './caller-token.ts';
import type { CallerTokenScope, VerifiedCaller } from './caller-token.ts';

// An HMAC costs as much as everything else that a side does to prepare a call.
const CAPACITY = 2_000;
// Half of a token's life: what is sent is good for another half minute.
const REUSE_MS = 30_000;

/** Signs callers for one service as `signCaller` does, one and the same at most every 30 seconds. */
export function createCallerSigner(scope: CallerTokenScope): (caller: Caller, now: Date) => string {
  const signed = new Map<string, { readonly token: string; readonly signedAt: number }>();
  return (caller, now) => {
    // By content, because each request has a caller object of its own.
    const content = JSON.stringify(caller);
    const known = signed.get(content);
    if (known !== undefined && Math.abs(now.getTime() - known.signedAt) < REUSE_MS) return known.token;
    const token = signCaller(caller, scope, now);
    remember(signed, content, { token, signedAt: now.getTime() });
    return token;
  };
}

/** Verifies callers as `verifyCaller` does, the signature of one token once, its time always. */
export function createCallerVerifier(scope: CallerTokenScope): (token: string, now: Date) => Caller {
  const verified = new Map<string, VerifiedCaller>();
  return (token, now) => {
    const known = verified.get(token);
    if (known !== undefined) assertCurrent(known, now);
    const { caller, expiresAt } = known ?? verifyCaller(token, scope, now);
    if (known === undefined) remember(verified, token, { caller, expiresAt });
    return caller;
  };
}

/** Drops the oldest where there are too many; those in use come back with their next call. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= CAPACITY) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
