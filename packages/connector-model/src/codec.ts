import { hash } from 'node:crypto';
import type { z } from 'zod';
import { pathText } from './gates/problem.ts';
import type { ConnectorHead, ToolDefinition, TriggerTypeDefinition } from './model.ts';
import {
  connectorHeadSchema,
  toolDefinitionSchema,
  triggerTypeDefinitionSchema,
} from './schema/connector.ts';

/** One problem of a connector or a tool; `path` is empty for the whole. */
export interface ConnectorIssue {
  readonly path: string;
  readonly message: string;
}

/** Bytes or JSON that do not match the model. `issues` holds at least one. */
export class InvalidConnectorError extends Error {
  override readonly name = 'InvalidConnectorError';
  readonly issues: readonly ConnectorIssue[];

  constructor(issues: readonly ConnectorIssue[]) {
    super(issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.issues = issues;
  }
}

/**
 * The bytes of a connector without trigger types. `parseConnector` reads them. `toolsJson` is a JSON array in UTF-8, which is
 * passed on as it is: to build the tools of an MCP server takes long.
 */
export function encodeConnector(head: ConnectorHead, toolsJson: Uint8Array): Uint8Array {
  // A whole connector is a head too.
  const others = JSON.stringify({ ...head, tools: undefined, triggerTypes: [] });
  return Buffer.concat([Buffer.from(`${others.slice(0, -1)},"tools":`), toolsJson, Buffer.from('}')]);
}

/** The bytes of a connector without its tools and trigger types. `ConnectorDecoder.head` reads them. */
export function encodeConnectorHead(connector: ConnectorHead): Uint8Array {
  // A whole connector is a head too; JSON omits undefined members.
  return encode({ ...connector, tools: undefined, triggerTypes: undefined });
}

/** The bytes of a tool's definition. `ConnectorDecoder.tool` reads them. */
export function encodeTool(tool: ToolDefinition): Uint8Array {
  return encode(tool);
}

/** The bytes of a trigger type's definition. `ConnectorDecoder.triggerType` reads them. */
export function encodeTriggerType(triggerType: TriggerTypeDefinition): Uint8Array {
  return encode(triggerType);
}

/**
 * Decodes what another service encoded, and checks it against the model. Throws InvalidConnectorError for other bytes.
 * The same bytes return the same object.
 */
export interface ConnectorDecoder {
  readonly head: (bytes: Uint8Array) => ConnectorHead;
  readonly tool: (bytes: Uint8Array) => ToolDefinition;
  readonly triggerType: (bytes: Uint8Array) => TriggerTypeDefinition;
}

const DEFAULT_MAX_CACHED_BYTES = 8 * 1024 * 1024;

/**
 * A decoder that caches what it decoded by the hash of the bytes: the check of a large definition costs milliseconds,
 * and the same few are decoded repeatedly. `maxCachedBytes` bounds the encoded size of the cached heads, of the
 * cached tools and of the cached trigger types; the least recently used ones are evicted first. Default 8 MiB each.
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
 * Parses a JSON value by a schema of the model: absent members get their defaults, and members that the schema does not
 * know are removed from `json` itself, so that a service can read what a newer release of another service wrote. Throws
 * InvalidConnectorError naming every issue.
 */
export function checkJson<T>(schema: z.ZodType<T>, json: unknown): T {
  // At most one pass per level: zod does not look below a member that it does not know.
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
  // In the order of use: the first entry is the least recently used one.
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
