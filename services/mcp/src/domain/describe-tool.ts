import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { listArguments, withListArguments } from '@fairlead/tool-schemas/list-arguments';
import { portableSchema, withoutRemoteReferences } from '@fairlead/tool-schemas/portable';
import { headerArgumentsOf } from './header-arguments.ts';
import type { HeaderArgument } from './header-arguments.ts';
import type { SchemaForm } from './mcp-server.ts';
import type { SourceTool, ToolEffects } from './server-tool.ts';

/** The list entry of a tool, and the dialect of its listed input schema; empty: the tool's own. */
export interface DescribedTool {
  readonly listed: LazyJson;
  readonly schemaProfile: string;
  readonly headerArguments: readonly HeaderArgument[];
}

/** The output members of an MCP tool without an output schema: content blocks of the protocol. */
const CONTENT_MEMBERS = 'content structuredContent';

/**
 * A tool as tools/list shows it. List arguments stand beside the inputs. An output schema is included if it is the tool's own and describes
 * an object.
 */
export function describeTool(name: string, tool: SourceTool, form: SchemaForm): DescribedTool {
  const own = tool.inputSchema.parseObject();
  const inputs = withListArguments(own, tool);
  const portable = portableSchema(inputs);
  const inputSchema = form === 'portable' ? portable : { ...inputs, type: 'object' };
  const outputSchema = outputSchemaOf(tool);
  const { title, description, effects } = tool;
  const hasArguments = listArguments(own, tool).length > 0;
  return {
    // If nothing was added or renamed, the tools service need not convert the inputs back.
    schemaProfile:
      hasArguments || (form === 'portable' && hasOtherNames(inputs, portable)) ? 'anthropic' : '',
    headerArguments: headerArgumentsOf(inputSchema),
    // Caches the text only, because the parsed value is not needed again.
    listed: new LazyJson(
      jsonBytes({
        name,
        ...(title !== '' && { title }),
        description,
        inputSchema,
        ...(outputSchema && { outputSchema }),
        ...(effects && { annotations: annotationsOf(effects) }),
      }),
    ),
  };
}

function annotationsOf({ isReadOnly, isIdempotent, isDestructive }: ToolEffects): JsonObject {
  return { readOnlyHint: isReadOnly, destructiveHint: isDestructive, idempotentHint: isIdempotent };
}

function outputSchemaOf({ outputSchema, upstreamName }: SourceTool): JsonObject | undefined {
  const schema = outputSchema.parseObject();
  const { type, properties } = schema;
  if (type !== 'object' || properties === undefined) return undefined;
  const isContent = upstreamName !== '' && namesOf(properties).toSorted().join(' ') === CONTENT_MEMBERS;
  return isContent ? undefined : withoutRemoteReferences(schema);
}

/** Whether the portable schema names a member, at any depth, that the original schema does not. */
function hasOtherNames(schema: JsonObject, portable: JsonObject): boolean {
  const names = memberNames(schema);
  for (const name of memberNames(portable)) if (!names.has(name)) return true;
  return false;
}

/** The names of all members described by a schema. */
function memberNames(schema: Json, names = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of namesOf(value)) names.add(name);
    memberNames(value, names);
  }
  return names;
}

function namesOf(value: Json): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
