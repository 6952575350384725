import type { JsonObject } from '@fairlead/connector-model/json';

const NOTE = 'JSON, as text.';

/** The schema of a string with JSON, in place of a schema that a dialect cannot express. */
export function jsonText(schema: JsonObject): JsonObject {
  const { description } = schema;
  return withNote({ type: 'string', ...(typeof description === 'string' && { description }) }, NOTE);
}

/** The schema with a sentence added to its description. */
export function withNote(schema: JsonObject, note: string): JsonObject {
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} ${note}` : note };
}
