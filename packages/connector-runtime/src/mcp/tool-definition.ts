import { createHash } from 'node:crypto';
import type { Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
import type { Tool } from '@modelcontextprotocol/client';
import { isObject } from '../templates.ts';

const CATEGORY = 'MCP';
const MAX_DESCRIPTION_LENGTH = 1024;

/** What every tool without a schema of its own answers: the content blocks of the protocol. */
const CONTENT_OUTPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    content: {
      type: 'array',
      description: 'Content blocks, as the server sent them.',
      items: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
    },
    structuredContent: { type: 'object', description: 'The result as data, where the server sends it.' },
  },
};

/** A server's tool as the catalogue stores it. Its version is a hash of what it is: a changed tool is a new version. */
export function toolDefinition(tool: Tool, toolSlug: string): ToolDefinition {
  const { annotations } = tool;
  const inputSchema = objectSchema(tool.inputSchema);
  const outputSchema =
    tool.outputSchema === undefined ? CONTENT_OUTPUT_SCHEMA : objectSchema(tool.outputSchema);
  const retryClass = retryClassOf(annotations);
  // The protocol's default: a tool that changes something is destructive unless it says otherwise.
  const isDestructive = retryClass !== 'readOnly' && (annotations?.destructiveHint ?? true);
  const described = {
    toolSlug,
    toolName: (tool.title ?? annotations?.title ?? tool.name).slice(0, 200),
    description: (tool.description ?? '').slice(0, MAX_DESCRIPTION_LENGTH),
    category: CATEGORY,
    isDeprecated: false,
    inputSchema,
    outputSchema,
    retryClass,
    isDestructive,
    filters: null,
    sorts: null,
    paging: null,
    execution: { type: 'mcp', toolName: tool.name },
  } as const;
  return { ...described, version: contentHash(described) };
}

/** Hints only: a server that lies about them is trusted with its own data, not with anyone else's. */
function retryClassOf(annotations: Tool['annotations']): ToolDefinition['retryClass'] {
  if (annotations?.readOnlyHint === true) return 'readOnly';
  return annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
}

/** A schema with `type: object` and `properties` on top, whatever the server left out. */
function objectSchema(schema: unknown): JsonObject {
  // The SDK has parsed it out of JSON.
  const json = schema as Json;
  if (!isObject(json)) return { type: 'object', properties: {} };
  const properties = json['properties'];
  return { ...json, type: 'object', properties: isObject(properties) ? properties : {} };
}

function contentHash(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}
