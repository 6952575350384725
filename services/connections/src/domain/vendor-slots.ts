import type { SlotCall } from '@fairlead/service-kit/slots/account-slots';
import type { SignInHead } from './sign-in.ts';

/** Longest wait of a sign-in, or a renewal, for other calls: somebody waits for it in turn. */
export const SHORT_WAIT_MS = 10_000;
const WAIT_MS = 20_000;
/** Limits of one end user: an account has many end users and does not know them well, so they must leave room for each other. */
const OF_AN_END_USER = { running: 4, waiting: 16 } as const;

/** Calls with one connection's credential. */
export function connectionSlot(accountId: string, connectionId: number, signal: AbortSignal): SlotCall {
  return slot(accountId, String(connectionId), signal);
}

/** Renewals of one connection's tokens. */
export function renewalSlot(accountId: string, connectionId: number, signal: AbortSignal): SlotCall {
  return { ...slot(accountId, String(connectionId), signal), waitMs: SHORT_WAIT_MS };
}

/** Reading an MCP server that is no connection yet. One that does not answer takes no other server's turn. */
export function mcpServerSlot(
  accountId: string,
  serverUrl: unknown,
  signal: AbortSignal,
  heldBytes: () => number,
): SlotCall {
  return { ...slot(accountId, `MCP server ${hostOf(serverUrl)}`, signal), heldBytes };
}

/** Trying the credential of a connection that is not stored yet. An application that does not answer takes no other one's turn. */
export function newConnectionSlot(accountId: string, applicationSlug: string, signal: AbortSignal): SlotCall {
  return slot(accountId, `new connections to ${applicationSlug}`, signal);
}

/** Trying the credentials of one end user. */
export function endUserSlot(accountId: string, endUserId: string, signal: AbortSignal): SlotCall {
  return { ...slot(accountId, `end user ${endUserId}`, signal), partitionLimits: OF_AN_END_USER };
}

/**
 * Sign-ins of one connect session, or of one user outside of sessions at the host of `address`: a product may sign all of its people in as
 * one user, and a vendor that does not answer takes no other vendor's turn.
 */
export function signInSlot(
  signIn: Pick<SignInHead, 'accountId' | 'userId' | 'connectSessionId'>,
  address: string,
  signal: AbortSignal,
): SlotCall {
  const { accountId, userId, connectSessionId } = signIn;
  // All sessions may have the same opener.
  return connectSessionId === null
    ? { ...slot(accountId, `sign-ins of ${userId} at ${hostOf(address)}`, signal), waitMs: SHORT_WAIT_MS }
    : {
        ...slot(accountId, `sign-ins of ${connectSessionId}`, signal),
        waitMs: SHORT_WAIT_MS,
        partitionLimits: OF_AN_END_USER,
      };
}

/** Empty for what is no address: it is refused before anybody is called. */
function hostOf(address: unknown): string {
  return typeof address === 'string' ? (URL.parse(address)?.host ?? '') : '';
}

function slot(accountId: string, partition: string, signal: AbortSignal): SlotCall {
  return { accountId, partition, signal, waitMs: WAIT_MS, heldBytes: () => 0 };
}
