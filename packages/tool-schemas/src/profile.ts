import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { anthropicSchema, restoreNames } from './anthropic.ts';
import { geminiSchema } from './gemini.ts';
import { openAiStrictSchema } from './openai-strict.ts';
import { readTexts } from './read-texts.ts';

/** The dialects of JSON Schema that model APIs accept for a tool's inputs. */
export const SCHEMA_PROFILES = ['openai-strict', 'anthropic', 'gemini'] as const;
export type SchemaProfile = (typeof SCHEMA_PROFILES)[number];

/**
 * The schema in a model's dialect. Constraints that the dialect lacks are omitted (an execution still checks the tool's own schema), and
 * values that it cannot express become strings with JSON. The root is always an object. The result is at most a small multiple of a schema
 * that the catalogue accepts. Source: row completion.applications-and-tools.63.
 */
export function adaptSchema(schema: JsonObject, profile: SchemaProfile): JsonObject {
  switch (profile) {
    case 'openai-strict':
      return openAiStrictSchema(schema);
    case 'anthropic':
      return anthropicSchema(schema);
    case 'gemini':
      return geminiSchema(schema);
  }
}

/**
 * Converts inputs that a model created by the adapted schema to the tool's own schema: strings with JSON are parsed, `openai-strict`'s
 * nulls of optional members are removed, changed names are restored. A value that does not fit is unchanged, so that the tool's own schema
 * refuses it.
 */
export function restoreInputs(schema: JsonObject, profile: SchemaProfile, inputs: JsonObject): JsonObject {
  switch (profile) {
    case 'openai-strict':
      return readTexts(schema, inputs, { dropsNulls: true });
    case 'anthropic':
      return restoreNames(schema, inputs);
    case 'gemini':
      return readTexts(schema, inputs, { dropsNulls: false });
  }
}

/** Whether a text is the name of a profile. */
export function isSchemaProfile(text: Json): text is SchemaProfile {
  return SCHEMA_PROFILES.some((profile) => profile === text);
}
