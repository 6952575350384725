import { hash, randomBytes } from 'node:crypto';
import type { RequestOwner } from '../http/request.ts';
import { forwardedCapabilities } from '../mcp/calling-client.ts';
import type { CallingClient } from '../mcp/calling-client.ts';

/** Identifies the sessions that a call may use: those of its connection that were opened with the same settings. */
export interface SessionKey {
  /** The connection's id within its account. */
  readonly connection: string;
  /** The client for whose calls the sessions are; undefined: all calls without a client. */
  readonly sharers?: string | undefined;
  /** A hash that differs if any setting of a session differs, and reveals none of them. */
  readonly settings: string;
}

/** The key of the hash, one per process, so that nobody can guess passwords from a hash. */
const hashKey = randomBytes(32).toString('base64url');

/** The session key of a connection: its credential version, and a keyed hash of all settings with which sessions are opened. */
export function sessionKeyOf(
  connectionId: number,
  { connector, method, credential }: RequestOwner,
): SessionKey {
  const { authenticationId, scheme, baseUrl } = method;
  const { version, fields, accessToken } = credential;
  const settings = [
    hashKey,
    connector.slug,
    connector.baseUrl,
    authenticationId,
    scheme,
    baseUrl,
    fields,
    accessToken,
  ];
  const digest = hash('sha256', JSON.stringify(settings), 'base64url');
  return { connection: String(connectionId), settings: `${version} ${digest}` };
}

/**
 * The session key of a call with a client. Such sessions serve one principal's calls with equal capabilities.
 * Undefined: the principal is unknown, so the session is not kept.
 */
export function sessionKeyOfClient(
  key: SessionKey,
  { principal, capabilities }: Pick<CallingClient, 'principal' | 'capabilities'>,
): SessionKey | undefined {
  if (principal === undefined) return undefined;
  const sharers = JSON.stringify([principal, forwardedCapabilities(capabilities)]);
  return { ...key, sharers: hash('sha256', sharers, 'base64url') };
}
