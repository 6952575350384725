import { hash, randomBytes } from 'node:crypto';
import type { RequestOwner } from '../http/request.ts';
import { forwardedCapabilities } from '../mcp/calling-client.ts';
import type { CallingClient } from '../mcp/calling-client.ts';

/** Which sessions a call may use: those of its connection that were opened with the same settings. */
export interface SessionKey {
  /** The connection, within its account. */
  readonly connection: string;
  /** The calls among those of the connection that share sessions; undefined: all those that have no client. */
  readonly sharers?: string | undefined;
  /** Differs whenever anything differs that a session is opened with; says nothing about it. */
  readonly settings: string;
}

/** Each process has its own, so that nobody can try passwords against a key. */
const hashKey = randomBytes(32).toString('base64url');

/** The key of a connection's sessions: its credential version, and a keyed hash of everything that a session is opened with. */
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
 * The same for a call that has a client, which the sessions are opened for: they serve the calls of one principal with equal capabilities.
 * Undefined: nobody knows who it is.
 */
export function sessionKeyOfClient(
  key: SessionKey,
  { principal, capabilities }: Pick<CallingClient, 'principal' | 'capabilities'>,
): SessionKey | undefined {
  if (principal === undefined) return undefined;
  const sharers = JSON.stringify([principal, forwardedCapabilities(capabilities)]);
  return { ...key, sharers: hash('sha256', sharers, 'base64url') };
}
