import type { JsonObject } from '@fairlead/connector-model/json';

/** The connection's base URL; undefined if it has no credential. */
export function baseUrlOf(fields: JsonObject): string | undefined {
  const value = fields['baseUrl'];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
