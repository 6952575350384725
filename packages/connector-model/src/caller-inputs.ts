import { isJsonArray, isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** The ways to give a file, of which the tools service accepts exactly one. */
const FILE_MEMBERS = {
  fileId: {
    type: 'string',
    description: 'Id of an uploaded file. Give this, `url`, or `base64` with `name`.',
  },
  url: { type: 'string', description: 'Address from which the file is fetched.' },
  base64: { type: 'string', description: 'The content in base64.' },
  name: { type: 'string', description: 'Name of the file, beside `base64`.' },
};

/**
 * The schema of a tool's inputs as callers need it: an input with a default is not required, and a file input
 * (`format: file`) describes how a file is given.
 */
export function callerInputs(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return schema;
  const described = Object.entries(properties).map(([name, input]) => [name, fileDescribed(input)] as const);
  const needed = isJsonArray(required)
    ? required.filter((name) => typeof name !== 'string' || !hasDefault(properties[name]))
    : [];
  const { required: _required, ...rest } = schema;
  return {
    ...rest,
    properties: Object.fromEntries(described),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** Whether a schema describes a file. */
export function isFileInput(schema: Json | undefined): schema is JsonObject {
  return isJsonObject(schema) && schema['format'] === 'file';
}

function fileDescribed(input: Json): Json {
  return isFileInput(input) && input['type'] === 'object' ? { ...input, properties: FILE_MEMBERS } : input;
}

function hasDefault(input: Json | undefined): boolean {
  return isJsonObject(input) && 'default' in input;
}
