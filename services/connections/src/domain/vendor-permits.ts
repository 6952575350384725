import type { PermitCall } from '@fairlead/service-kit/permits/account-permits';
import type { SignInHead } from './sign-in.ts';

/** Longest wait for a permit of a sign-in or a renewal: callers in turn wait for these. */
export const SHORT_WAIT_MS = 10_000;
const WAIT_MS = 20_000;
/** Limits of one end user: an account has many, whom it hardly knows, so each must leave room for the others. */
const OF_AN_END_USER = { running: 4, waiting: 16 } as const;

/** Calls with one connection's credential. */
export function connectionPermit(accountId: string, connectionId: number, signal: AbortSignal): PermitCall {
  return permit(accountId, String(connectionId), signal);
}

/** Renewals of one connection's tokens. */
export function renewalPermit(accountId: string, connectionId: number, signal: AbortSignal): PermitCall {
  return { ...permit(accountId, String(connectionId), signal), waitMs: SHORT_WAIT_MS };
}

/** Permit for reading an MCP server before it is connected. A server that does not answer blocks no other server. */
export function mcpServerPermit(
  accountId: string,
  serverUrl: unknown,
  signal: AbortSignal,
  heldBytes: () => number,
): PermitCall {
  return { ...permit(accountId, `MCP server ${hostOf(serverUrl)}`, signal), heldBytes };
}

/** Permit for trying the credential of a connection before it is stored. An application that does not answer blocks no other. */
export function newConnectionPermit(
  accountId: string,
  applicationSlug: string,
  signal: AbortSignal,
): PermitCall {
  return permit(accountId, `new connections to ${applicationSlug}`, signal);
}

/** Trying the credentials of one end user. */
export function endUserPermit(accountId: string, endUserId: string, signal: AbortSignal): PermitCall {
  return { ...permit(accountId, `end user ${endUserId}`, signal), partitionLimits: OF_AN_END_USER };
}

/**
 * Permit for sign-ins of one connect session, or of one user at the host of `address` outside of sessions. Per host, because a product may
 * sign in all its people as one user, and a vendor that does not answer must not block others.
 */
export function signInPermit(
  signIn: Pick<SignInHead, 'accountId' | 'userId' | 'connectSessionId'>,
  address: string,
  signal: AbortSignal,
): PermitCall {
  const { accountId, userId, connectSessionId } = signIn;
  // Not per user, because one user may have opened all sessions.
  return connectSessionId === null
    ? { ...permit(accountId, `sign-ins of ${userId} at ${hostOf(address)}`, signal), waitMs: SHORT_WAIT_MS }
    : {
        ...permit(accountId, `sign-ins of ${connectSessionId}`, signal),
        waitMs: SHORT_WAIT_MS,
        partitionLimits: OF_AN_END_USER,
      };
}

/** Empty if the text is not an address: it is refused before any call. */
function hostOf(address: unknown): string {
  return typeof address === 'string' ? (URL.parse(address)?.host ?? '') : '';
}

function permit(accountId: string, partition: string, signal: AbortSignal): PermitCall {
  return { accountId, partition, signal, waitMs: WAIT_MS, heldBytes: () => 0 };
}
