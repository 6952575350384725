import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { z } from 'zod';
import { jsonObject, timestamp } from '../http/fields.ts';
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
  inputSchema: jsonObject.describe('JSON Schema 2020-12 of the execution’s `fields`.'),
  outputSchema: jsonObject.describe('JSON Schema 2020-12 of the execution’s `output`.'),
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

/** One tool of the list. */
export const toolListItem = z
  .strictObject({
    ...detail,
    score: z.number().min(0).max(1).optional().describe('Relevance; present only with a search.'),
  })
  .meta({ id: 'ToolListItem' });

/** A tool in full. */
export function presentTool(tool: Tool): z.output<typeof toolDetail> {
  return {
    toolSlug: tool.toolSlug,
    toolName: tool.toolName,
    description: tool.description,
    category: tool.category,
    applicationSlug: tool.applicationSlug,
    applicationName: tool.applicationName,
    version: tool.version,
    isDeprecated: tool.isDeprecated,
    inputSchema: tool.inputSchema ?? {},
    outputSchema: tool.outputSchema ?? {},
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
export function presentToolListItem(tool: Tool): z.output<typeof toolListItem> {
  const { score } = tool;
  return { ...presentTool(tool), ...(score !== undefined && { score }) };
}
