import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connection } from './connection.ts';

/**
 * A text that changes whenever a person enters values or signs in, and whenever a plain value of its auth provider changes, such as an
 * address (null: no provider). Renewing tokens does not change it.
 */
export function credentialRevision(
  { credentialRevision: own }: Pick<Connection, 'credentialRevision'>,
  provided: JsonObject | null,
): string {
  if (provided === null) return String(own);
  const members = Object.entries(provided).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${own}.${createHash('sha256').update(JSON.stringify(members)).digest('base64url')}`;
}
