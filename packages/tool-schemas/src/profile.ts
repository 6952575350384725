import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { anthropicSchema, restoreNames } from './anthropic.ts';
import { geminiSchema } from './gemini.ts';
import { openAiStrictSchema } from './openai-strict.ts';
import { readTexts } from './read-texts.ts';

/** The dialects of JSON Schema that model APIs accept for a tool's inputs. */
export const SCHEMA_PROFILES = ['openai-strict', 'anthropic', 'gemini'] as const;
/** One of SCHEMA_PROFILES. */
export type SchemaProfile = (typeof SCHEMA_PROFILES)[number];

/**
 * The schema in a model's dialect. Constraints that the dialect lacks are left out (an execution still checks the tool's own
 * schema), and values that it cannot describe at all become strings that hold JSON. The root is always an object. Never larger
 * than a small multiple of a schema that the catalogue accepts. Source: row completion.applications-and-tools.63.
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
 * The inputs that the tool's own schema describes, from those that a model made by the adapted one: strings that hold JSON are
 * read, `openai-strict`'s nulls of optional members are left out, changed names are as before. A value that does not
 * fit stays as it is, for the tool's own schema to refuse.
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

/** Whether a text names a profile. */
export function isSchemaProfile(text: Json): text is SchemaProfile {
  return SCHEMA_PROFILES.some((profile) => profile === text);
}
