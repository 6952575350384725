import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import {
  isDeeperThan,
  jsonBytes,
  MAX_DESCRIPTION_LENGTH,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_DEPTH,
  MAX_TOOL_NAME_LENGTH,
} from '@fairlead/connector-model/limits';
import type { Tool } from '@modelcontextprotocol/client';
import { cutText } from '../cut-text.ts';
import { isObject } from '../templates.ts';

const CATEGORY = 'MCP';
/** Maximum size of all schemas of a server's tools: the catalogue parses them in its main thread, which may take 50 ms. */
const MAX_SCHEMAS_BYTES = 1024 * 1024;
const MAX_SCHEMAS_VALUES = 10_000;
const MAX_DESCRIPTIONS_BYTES = 512 * 1024;
/** Keywords about members that `properties` does not name. */
const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

const OPEN_SCHEMA: JsonObject = { type: 'object', properties: {}, additionalProperties: true };

/** Default output schema: the protocol's content blocks. */
const CONTENT_OUTPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    content: {
      type: 'array',
      description:
        'Content blocks as the server sent them, but with files in place of the bytes of images, sounds and resources.',
      items: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
    },
    structuredContent: { type: 'object', description: 'The result as data, if the server sends it.' },
  },
};

/** Cuts the tools of one server to the catalogue's limits. */
export interface ToolIntake {
  /** The given schema, or an open one if it is too large or too deep. Other tools are not affected. */
  schema(schema: JsonObject): JsonObject;
  /** The beginning of the text; empty once all texts together are too large. */
  description(text: string): string;
}

/** The intake for one server. */
export function toolIntake(): ToolIntake {
  let leftBytes = MAX_SCHEMAS_BYTES;
  let leftValues = MAX_SCHEMAS_VALUES;
  let leftDescriptionBytes = MAX_DESCRIPTIONS_BYTES;
  return {
    schema(schema) {
      // Checks the depth first, because serialising recurses.
      const bytes = isDeeperThan(schema, MAX_SCHEMA_DEPTH) ? Number.POSITIVE_INFINITY : jsonBytes(schema);
      if (bytes > Math.min(MAX_SCHEMA_BYTES, leftBytes)) return OPEN_SCHEMA;
      const values = countValues(schema);
      if (values > leftValues) return OPEN_SCHEMA;
      leftBytes -= bytes;
      leftValues -= values;
      return schema;
    },
    description(text) {
      const kept = cutText(text, MAX_DESCRIPTION_LENGTH);
      const bytes = Buffer.byteLength(kept);
      if (bytes > leftDescriptionBytes) return '';
      leftDescriptionBytes -= bytes;
      return kept;
    },
  };
}

/**
 * A server's tool in the catalogue's format, cut to its limits. Its version is a hash of its content. `runsTasks`:
 * whether the server runs tool calls as tasks.
 */
export function toolDefinition(
  tool: Tool,
  toolSlug: string,
  intake: ToolIntake,
  runsTasks = false,
): ToolDefinition {
  const { annotations } = tool;
  const isTask = runsTasks && tool.execution?.taskSupport === 'required';
  const inputSchema = intake.schema(objectSchema(tool.inputSchema));
  const outputSchema =
    tool.outputSchema === undefined ? CONTENT_OUTPUT_SCHEMA : intake.schema(objectSchema(tool.outputSchema));
  const retryClass = retryClassOf(annotations);
  // By the protocol's default, a tool with effects is destructive unless it says otherwise.
  const isDestructive = retryClass !== 'readOnly' && (annotations?.destructiveHint ?? true);
  const described = {
    toolSlug,
    toolName: cutText(tool.title || annotations?.title || tool.name, MAX_TOOL_NAME_LENGTH),
    description: intake.description(tool.description ?? ''),
    category: CATEGORY,
    aliases: [],
    isDeprecated: false,
    inputSchema,
    outputSchema,
    retryClass,
    isDestructive,
    filters: null,
    sorts: null,
    paging: null,
    execution: { type: 'mcp', toolName: tool.name, ...(isTask && { isTask }) },
  } as const;
  return { ...described, version: contentHash(described) };
}

/** The server's hints do not loosen any limit. */
function retryClassOf(annotations: Tool['annotations']): ToolDefinition['retryClass'] {
  if (annotations?.readOnlyHint === true) return 'readOnly';
  return annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
}

/** Adds `type: object` and `properties` if they are missing. */
function objectSchema(schema: unknown): JsonObject {
  // The SDK parsed this from JSON.
  const json = schema as Json;
  if (!isObject(json)) return OPEN_SCHEMA;
  const properties = json['properties'];
  if (isObject(properties)) return { ...json, type: 'object' };
  // Without `properties`, any member is allowed. With empty `properties` and no other keyword, no member would be
  // passed on.
  const isOpen = OTHER_MEMBERS.every((keyword) => !(keyword in json));
  return { ...(isOpen ? OPEN_SCHEMA : { properties: {} }), ...json, type: 'object', properties: {} };
}

function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1);
}

function contentHash(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}
