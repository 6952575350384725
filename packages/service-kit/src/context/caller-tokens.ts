import type { Caller } from './caller.ts';
import { assertCurrent, signCaller, verifyCaller } from './caller-token.ts';
import type { CallerTokenScope, VerifiedCaller } from './caller-token.ts';

// An HMAC costs as much as all other preparation of a call on that side.
const CAPACITY = 2_000;
// Half of a token's lifetime: a token that is sent is valid for at least another 30 seconds.
const REUSE_MS = 30_000;

/** Signs callers for one service as `signCaller` does, the same caller at most once per 30 seconds. */
export function createCallerSigner(scope: CallerTokenScope): (caller: Caller, now: Date) => string {
  const signed = new Map<string, { readonly token: string; readonly signedAt: number }>();
  return (caller, now) => {
    // Keyed by content, because each request has its own caller object.
    const content = JSON.stringify(caller);
    const known = signed.get(content);
    if (known !== undefined && Math.abs(now.getTime() - known.signedAt) < REUSE_MS) return known.token;
    const token = signCaller(caller, scope, now);
    remember(signed, content, { token, signedAt: now.getTime() });
    return token;
  };
}

/** Verifies callers as `verifyCaller` does: the signature of each token once, its expiry every time. */
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

/** Drops the oldest entries when there are too many; those in use come back with their next call. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= CAPACITY) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
