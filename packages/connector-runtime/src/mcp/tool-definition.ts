import { createHash } from 'node:crypto';
import type { Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
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
/** For all tools of a server together: the catalogue reads them in its main thread, which may take 50 ms. */
const MAX_SCHEMAS_BYTES = 1024 * 1024;
const MAX_SCHEMAS_VALUES = 10_000;
const MAX_DESCRIPTIONS_BYTES = 512 * 1024;
/** Keywords that govern members that `properties` does not name. */
const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

const OPEN_SCHEMA: JsonObject = { type: 'object', properties: {}, additionalProperties: true };

/** The output schema of a tool without its own: the content blocks of the protocol. */
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

/** Decides what is stored of the tools of one server. */
export interface ToolIntake {
  /** The given schema, or an open one if it is too large or too deep. An oversized schema affects only its own tool. */
  schema(schema: JsonObject): JsonObject;
  /** The beginning of the text, or an empty one once those before it are too large together. */
  description(text: string): string;
}

/** The intake for one server. */
export function toolIntake(): ToolIntake {
  let leftBytes = MAX_SCHEMAS_BYTES;
  let leftValues = MAX_SCHEMAS_VALUES;
  let leftDescriptionBytes = MAX_DESCRIPTIONS_BYTES;
  return {
    schema(schema) {
      // The depth is checked first, because serialising recurses.
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
 * A server's tool as the catalogue stores it, cut to its limits. Its version is a hash of its content, so a changed
 * tool has a new version. `runsTasks`: whether the server runs calls of tools as tasks.
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
  // The protocol's default: a tool that changes something is destructive unless it says otherwise.
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

/** Hints of the server: nobody loosens anything because of them. */
function retryClassOf(annotations: Tool['annotations']): ToolDefinition['retryClass'] {
  if (annotations?.readOnlyHint === true) return 'readOnly';
  return annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
}

/** Adds `type: object` and `properties` if the server omitted them. */
function objectSchema(schema: unknown): JsonObject {
  // The SDK parsed it from JSON.
  const json = schema as Json;
  if (!isObject(json)) return OPEN_SCHEMA;
  const properties = json['properties'];
  if (isObject(properties)) return { ...json, type: 'object' };
  // Without `properties` any member is allowed; with empty `properties` and no other keyword, none would be passed on.
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
