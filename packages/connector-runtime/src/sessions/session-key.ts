import { hash, randomBytes } from 'node:crypto';
import type { RequestOwner } from '../http/request.ts';

/** Which sessions a call may use: those of its connection that were opened with the same settings. */
export interface SessionKey {
  /** The connection, within its account. */
  readonly connection: string;
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
