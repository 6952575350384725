import { rememberRecent } from '../cache/recent-entries.ts';
import type { Caller } from './caller.ts';
import { assertCurrent, signCaller, verifyCaller } from './caller-token.ts';
import type { CallerTokenScope, VerifiedCaller } from './caller-token.ts';

// Maximum cached tokens. An HMAC costs as much as all other preparation of a call on that side.
const CAPACITY = 2_000;
// Half of a token's lifetime, so that a sent token is valid for at least another 30 seconds.
const REUSE_MS = 30_000;

/** Signs callers for one service like `signCaller`, but each combination of caller and canaries at most once per 30 seconds. */
export function createCallerSigner(
  scope: CallerTokenScope,
): (caller: Caller, now: Date, canaries?: readonly string[]) => string {
  const signed = new Map<string, { readonly token: string; readonly signedAt: number }>();
  return (caller, now, canaries) => {
    // Keyed by content, because each request has its own caller object.
    const content = canaries === undefined ? contentOf(caller) : contentOf(caller) + listText(canaries);
    const known = signed.get(content);
    if (known !== undefined && Math.abs(now.getTime() - known.signedAt) < REUSE_MS) return known.token;
    const token = signCaller(caller, scope, now, canaries);
    rememberRecent(signed, content, { token, signedAt: now.getTime() }, CAPACITY);
    return token;
  };
}

/**
 * Cached texts of lists: requests with one credential share them, and serialising them costs more than the rest of an
 * RPC's head.
 */
const lists = new WeakMap<readonly string[], string>();

function listText(list: readonly string[]): string {
  const text = lists.get(list) ?? JSON.stringify(list);
  lists.set(list, text);
  return text;
}

/** A text that differs if any member of two callers differs. */
function contentOf(caller: Caller): string {
  if (caller.kind !== 'user') return JSON.stringify(caller);
  const { roles, permissions, ...others } = caller;
  return JSON.stringify(others) + listText(roles) + listText(permissions);
}

/** Verifies callers like `verifyCaller`, but each token's signature only once; the expiry is checked each time. */
export function createCallerVerifier(
  scope: CallerTokenScope,
): (token: string, now: Date) => Omit<VerifiedCaller, 'expiresAt'> {
  const verified = new Map<string, VerifiedCaller>();
  return (token, now) => {
    const known = verified.get(token);
    if (known !== undefined) assertCurrent(known, now);
    if (known !== undefined) return known;
    const fresh = verifyCaller(token, scope, now);
    rememberRecent(verified, token, fresh, CAPACITY);
    return fresh;
  };
}
