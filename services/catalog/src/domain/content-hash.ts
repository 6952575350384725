import { createHash } from 'node:crypto';
import type { Connector } from '@fairlead/connector-model/model';

/** A hash that changes exactly when the connector does; the order of members does not matter. */
export function contentHash(connector: Connector): string {
  return createHash('sha256').update(JSON.stringify(connector, sortMembers)).digest('base64url');
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
