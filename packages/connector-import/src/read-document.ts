import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { checkJsonBounds } from '@fairlead/service-kit/json/json-bounds';
import { parseDocument } from 'yaml';
import { ImportRefusal } from './import-job.ts';

/** Maximum bytes of a document, equal to those of a request's body. */
export const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;
const MAX_VALUES = 500_000;
const MAX_NAMES = 50_000;
const MAX_DEPTH = 100;
/** Maximum uses of YAML anchors, each of which copies the anchor's value. */
const MAX_ALIASES = 1_000;

const EXCEEDED = {
  values: `holds more than ${String(MAX_VALUES)} JSON values`,
  names: `holds more than ${String(MAX_NAMES)} different names`,
  depth: `is nested deeper than ${String(MAX_DEPTH)} levels`,
} as const;

/** Parses JSON, or YAML if that is allowed. The bounds are checked before the value is built. */
export function readDocument(
  bytes: Uint8Array,
  { field, isYamlAllowed }: { readonly field: string; readonly isYamlAllowed: boolean },
): JsonObject {
  const refuse = (issue: string): never => {
    throw new ImportRefusal({ field, issue });
  };
  if (bytes.length > MAX_DOCUMENT_BYTES)
    return refuse(`is larger than ${String(MAX_DOCUMENT_BYTES / 1024 / 1024)} MiB`);
  const text = decoded(bytes) ?? refuse('is not UTF-8');
  const isJsonText = /^\s*[[{]/.test(text.slice(0, 1_000));
  const json = isJsonText || !isYamlAllowed ? bytes : Buffer.from(yamlAsJson(text, refuse));
  const { exceeded } = checkJsonBounds(json, {
    maxValues: MAX_VALUES,
    maxNames: MAX_NAMES,
    maxDepth: MAX_DEPTH,
  });
  if (exceeded !== undefined) return refuse(EXCEEDED[exceeded]);
  const value = parsed(Buffer.from(json).toString('utf8'), isYamlAllowed, text, refuse);
  return isJsonObject(value) ? value : refuse('is no object');
}

/** Parses text that looks like JSON. If it is not JSON, it may be a YAML flow mapping, which begins in the same way. */
function parsed(
  json: string,
  isYamlAllowed: boolean,
  text: string,
  refuse: (issue: string) => never,
): Json | undefined {
  try {
    // JSON.parse returns JSON.
    return JSON.parse(json) as Json;
  } catch {
    if (!isYamlAllowed) return refuse('is not JSON');
  }
  return JSON.parse(yamlAsJson(text, refuse)) as Json;
}

function yamlAsJson(text: string, refuse: (issue: string) => never): string {
  try {
    const document = parseDocument(text, { logLevel: 'silent' });
    const [error] = document.errors;
    if (error !== undefined)
      return refuse(`is neither JSON nor YAML: ${error.message.split('\n', 1)[0]?.replace(/:$/, '') ?? ''}`);
    return JSON.stringify(document.toJS({ maxAliasCount: MAX_ALIASES })) ?? 'null';
  } catch (error) {
    if (error instanceof ImportRefusal) throw error;
    if (error instanceof RangeError) return refuse(EXCEEDED.depth);
    return refuse(`is no usable YAML: ${error instanceof Error ? error.message.slice(0, 200) : ''}`);
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
