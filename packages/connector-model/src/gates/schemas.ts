import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { jsonBytes, MAX_SCHEMA_BYTES } from '../limits.ts';
import type { JsonObject } from '../json.ts';
import { unboundedness } from './bounded-schema.ts';

/** Returns the problem of a tool's input or output schema, or undefined. */
export type SchemaCheck = (schema: JsonObject) => string | undefined;

/**
 * Creates the check of schemas in manifests: they must have `type: object`, be JSON Schema 2020-12, pass ajv's strict
 * mode, and be checkable in linear time (`unboundedness`). Discard the check after use, because it caches compiled
 * schemas.
 */
export function authoredSchemaCheck(): SchemaCheck {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, addUsedSchema: false, logger: false });
  addFormats.default(ajv);
  return (schema) => {
    if (schema['type'] !== 'object') return NOT_OBJECT;
    try {
      ajv.compile(withoutFileFormat(schema));
    } catch (error) {
      return `is not a valid JSON Schema 2020-12: ${error instanceof Error ? error.message : String(error)}`;
    }
    return unboundedness(schema);
  };
}

/** A file input is an object, but ajv applies formats to strings and numbers only; the tools service defines this format. */
function withoutFileFormat(schema: JsonObject): JsonObject {
  const keep = (name: string, value: unknown): unknown =>
    name === 'format' && value === 'file' ? undefined : value;
  // A copy of an object is an object.
  return JSON.parse(JSON.stringify(schema, keep)) as JsonObject;
}

/**
 * The check of foreign schemas: `type: object` and at most 64 KiB, so that a page of tools fits one message. They are
 * not compiled here, because that would run a stranger's schema, and a schema that no validator accepts is no reason
 * to refuse the application. The tools service compiles them under a time limit when they are used.
 */
export const foreignSchemaCheck: SchemaCheck = (schema) => {
  if (schema['type'] !== 'object') return NOT_OBJECT;
  return jsonBytes(schema) > MAX_SCHEMA_BYTES
    ? `must not be larger than ${String(MAX_SCHEMA_BYTES / 1024)} KiB`
    : undefined;
};

const NOT_OBJECT = "must have 'type: object' at the top level";
