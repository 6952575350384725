import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/model';
import type { Connection } from './connection.ts';

/**
 * A text that changes with every value that is entered and every sign-in of a connection, and with the values of its auth provider that are not
 * secret, such as an address (null: it has none); a renewal of its tokens leaves it as it is.
 */
export function credentialRevision(
  { credentialRevision: own }: Pick<Connection, 'credentialRevision'>,
  provided: JsonObject | null,
): string {
  if (provided === null) return String(own);
  const members = Object.entries(provided).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${own}.${createHash('sha256').update(JSON.stringify(members)).digest('base64url')}`;
}
