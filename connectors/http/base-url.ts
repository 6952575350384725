import type { JsonObject } from '@fairlead/connector-model/model';

/** The base URL that a connection holds; undefined for one without a credential. */
export function baseUrlOf(fields: JsonObject): string | undefined {
  const value = fields['baseUrl'];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
