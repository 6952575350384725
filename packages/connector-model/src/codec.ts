import { hash } from 'node:crypto';
import type { z } from 'zod';
import { pathText } from './gates/problem.ts';
import type { ConnectorHead, ToolDefinition, TriggerTypeDefinition } from './model.ts';
import {
  connectorHeadSchema,
  toolDefinitionSchema,
  triggerTypeDefinitionSchema,
} from './schema/connector.ts';

/** A problem of a connector or tool; `path` is empty for the root. */
export interface ConnectorIssue {
  readonly path: string;
  readonly message: string;
}

/** Thrown for bytes or JSON that do not match the model. `issues` has at least one issue. */
export class InvalidConnectorError extends Error {
  override readonly name = 'InvalidConnectorError';
  readonly issues: readonly ConnectorIssue[];

  constructor(issues: readonly ConnectorIssue[]) {
    super(issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.issues = issues;
  }
}

/**
 * Encodes a connector without its trigger types, for `parseConnector`. `toolsJson` is a JSON array in UTF-8 that is
 * copied unparsed, because parsing an MCP server's tools takes long.
 */
export function encodeConnector(head: ConnectorHead, toolsJson: Uint8Array): Uint8Array {
  // The argument may be a whole connector, which is also a head.
  const others = JSON.stringify({ ...head, tools: undefined, triggerTypes: [] });
  return Buffer.concat([Buffer.from(`${others.slice(0, -1)},"tools":`), toolsJson, Buffer.from('}')]);
}

/** Encodes a connector without its tools and trigger types, for `ConnectorDecoder.head`. */
export function encodeConnectorHead(connector: ConnectorHead): Uint8Array {
  // The argument may be a whole connector; JSON omits undefined members.
  return encode({ ...connector, tools: undefined, triggerTypes: undefined });
}

/** Encodes a tool's definition, for `ConnectorDecoder.tool`. */
export function encodeTool(tool: ToolDefinition): Uint8Array {
  return encode(tool);
}

/** Encodes a trigger type's definition, for `ConnectorDecoder.triggerType`. */
export function encodeTriggerType(triggerType: TriggerTypeDefinition): Uint8Array {
  return encode(triggerType);
}

/**
 * Decodes what another service encoded, and validates it. Throws InvalidConnectorError if it is invalid. Equal bytes
 * return the same object.
 */
export interface ConnectorDecoder {
  readonly head: (bytes: Uint8Array) => ConnectorHead;
  readonly tool: (bytes: Uint8Array) => ToolDefinition;
  readonly triggerType: (bytes: Uint8Array) => TriggerTypeDefinition;
}

const DEFAULT_MAX_CACHED_BYTES = 8 * 1024 * 1024;

/**
 * Creates a decoder with a cache by the hash of the bytes: validating a large definition costs milliseconds, and the
 * same few definitions are decoded repeatedly. `maxCachedBytes` limits the encoded size of cached heads, of cached
 * tools and of cached trigger types, each; the least recently used entries are evicted first. Default: 8 MiB.
 */
export function createConnectorDecoder({
  maxCachedBytes = DEFAULT_MAX_CACHED_BYTES,
}: { readonly maxCachedBytes?: number } = {}): ConnectorDecoder {
  return {
    head: cached((bytes) => checkJson(connectorHeadSchema, decodeJson(bytes)), maxCachedBytes),
    tool: cached((bytes) => checkJson(toolDefinitionSchema, decodeJson(bytes)), maxCachedBytes),
    triggerType: cached((bytes) => checkJson(triggerTypeDefinitionSchema, decodeJson(bytes)), maxCachedBytes),
  };
}

/** Decodes bytes as JSON; throws InvalidConnectorError if they are not JSON. */
export function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new InvalidConnectorError([{ path: '', message: 'is not JSON' }]);
  }
}

/**
 * Validates a JSON value by a schema of the model. Absent members get their defaults. Unknown members are deleted
 * from `json` in place, so that a service can read data of a newer release. Throws InvalidConnectorError with every
 * issue.
 */
export function checkJson<T>(schema: z.ZodType<T>, json: unknown): T {
  // Needs at most one pass per level, because zod does not look inside unknown members.
  for (;;) {
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const issues: ConnectorIssue[] = [];
    for (const issue of parsed.error.issues) {
      if (issue.code === 'unrecognized_keys') removeMembers(json, issue.path, issue.keys);
      else issues.push({ path: pathText(issue.path.map(stepOf)), message: issue.message });
    }
    if (issues.length > 0) throw new InvalidConnectorError(issues);
  }
}

function encode(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function cached<T>(decode: (bytes: Uint8Array) => T, maxBytes: number): (bytes: Uint8Array) => T {
  // In order of use: the first entry is the least recently used one.
  const entries = new Map<string, { readonly value: T; readonly sizeBytes: number }>();
  let totalBytes = 0;
  return (bytes) => {
    const key = hash('sha256', bytes, 'base64');
    const entry = entries.get(key) ?? { value: decode(bytes), sizeBytes: bytes.length };
    if (!entries.delete(key)) totalBytes += entry.sizeBytes;
    entries.set(key, entry);
    for (const [oldest, { sizeBytes }] of entries) {
      if (totalBytes <= maxBytes) break;
      entries.delete(oldest);
      totalBytes -= sizeBytes;
    }
    return entry.value;
  };
}

/** Removes members of the object at `path`. */
function removeMembers(json: unknown, path: readonly PropertyKey[], names: readonly string[]): void {
  let at = json;
  for (const step of path) at = Reflect.get(objectOf(at), step);
  for (const name of names) Reflect.deleteProperty(objectOf(at), name);
}

function objectOf(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw new TypeError('A schema reported unknown members of a value that is not an object.');
}

function stepOf(step: PropertyKey): string | number {
  return typeof step === 'symbol' ? step.toString() : step;
}
