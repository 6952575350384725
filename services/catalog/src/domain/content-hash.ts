import { createHash } from 'node:crypto';
import type { Connector } from '@fairlead/connector-model/model';

/** A hash that changes exactly when the connector does; the order of members does not matter. */
export function contentHash(connector: Connector): string {
  return createHash('sha256').update(canonicalJson(connector)).digest('base64url');
}

/** JSON text with the members of each object in order. Copies of objects with thousands of names would cost thrice as much. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members: string[] = [];
  for (const name of Object.keys(value).toSorted()) {
    const member: unknown = Reflect.get(value, name);
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
