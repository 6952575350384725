import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { adaptSchema, SCHEMA_PROFILES } from '@fairlead/tool-schemas/profile';
import type { SchemaProfile } from '@fairlead/tool-schemas/profile';
import { TOOL_FORMATS, toolDefinition as definitionOf } from '@fairlead/tool-schemas/tool-definition';
import type { ToolFormat } from '@fairlead/tool-schemas/tool-definition';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { presentTime } from './values.ts';

const detail = {
  toolSlug: z.string(),
  toolName: z.string(),
  description: z.string(),
  category: z.string(),
  applicationSlug: z.string(),
  applicationName: z.string(),
  version: z.string(),
  isDeprecated: z.boolean(),
  inputSchema: lazyObject.describe('JSON Schema 2020-12 of the execution’s `fields`.'),
  outputSchema: lazyObject.describe('JSON Schema 2020-12 of the execution’s `output`.'),
  supportsFilters: z.boolean(),
  supportsSort: z.boolean(),
  supportsTopOffset: z.boolean(),
  maxFilters: z.int32(),
  maxSorts: z.int32(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

/** One tool in full. */
export const toolDetail = z.strictObject(detail).meta({ id: 'Tool' });

export const toolListItem = z
  .strictObject({
    ...detail,
    score: z.number().min(0).max(1).optional().describe('Relevance; present only with a search.'),
  })
  .meta({ id: 'ToolListItem' });

/** One tool of a list with `format`. */
export const toolDefinition = z
  .strictObject({
    toolSlug: z.string(),
    applicationSlug: z.string(),
    definition: lazyObject.describe(
      'What the model’s API takes. Its name has at most 64 characters, is the same in every list, and no other tool has it.',
    ),
  })
  .meta({ id: 'ToolDefinition' });

/** The query parameters that choose the form of tools. */
export const schemaProfile = z
  .enum(SCHEMA_PROFILES)
  .optional()
  .describe(
    'Returns the inputSchema in the dialect of a model. A value that the dialect cannot describe is a string that holds JSON. ' +
      'Execute with the same `schemaProfile`, which understands inputs made by it.',
  );
export const toolFormat = z
  .enum(TOOL_FORMATS)
  .optional()
  .describe(
    'Returns definitions for the API of a model. Definitions for anthropic and gemini have the schema profile of that name, unless ' +
      'another is chosen. `filters`, `sorts`, `top` and `offset` are arguments beside the inputs, where the tool supports them: execute ' +
      'with the `schemaProfile` of the definition, which takes them out of `fields`; with `anthropic` if it has none.',
  );

/** A tool in full; its inputSchema in the dialect, if there is one. */
export function presentTool(tool: Tool, profile?: SchemaProfile): z.output<typeof toolDetail> {
  const inputSchema = LazyJson.object(tool.inputSchemaJson);
  return {
    toolSlug: tool.toolSlug,
    toolName: tool.toolName,
    description: tool.description,
    category: tool.category,
    applicationSlug: tool.applicationSlug,
    applicationName: tool.applicationName,
    version: tool.version,
    isDeprecated: tool.isDeprecated,
    inputSchema:
      profile === undefined ? inputSchema : LazyJson.of(adaptSchema(inputSchema.parseObject(), profile)),
    outputSchema: LazyJson.object(tool.outputSchemaJson),
    supportsFilters: tool.supportsFilters,
    supportsSort: tool.supportsSort,
    supportsTopOffset: tool.supportsTopOffset,
    maxFilters: tool.maxFilters,
    maxSorts: tool.maxSorts,
    createdAt: presentTime(tool.createdAt),
    updatedAt: presentTime(tool.updatedAt),
  };
}

/** A tool of the list; search results have a score from the catalog. */
export function presentToolListItem(tool: Tool, profile?: SchemaProfile): z.output<typeof toolListItem> {
  const { score } = tool;
  return { ...presentTool(tool, profile), ...(score !== undefined && { score }) };
}

/** Definitions of a page of tools. */
export function presentDefinitions(
  tools: readonly Tool[],
  format: ToolFormat,
  profile: SchemaProfile | undefined,
): z.output<typeof toolDefinition>[] {
  return tools.map((tool) => {
    const { toolSlug, applicationSlug, inputSchemaJson } = tool;
    const inputSchema = LazyJson.object(inputSchemaJson).parseObject();
    const definition = definitionOf({ ...tool, inputSchema }, format, profile);
    return { toolSlug, applicationSlug, definition: LazyJson.of(definition) };
  });
}
