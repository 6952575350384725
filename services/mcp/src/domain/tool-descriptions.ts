import { createHash } from 'node:crypto';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import { describeTool } from './describe-tool.ts';
import type { DescribedTool } from './describe-tool.ts';
import type { SchemaForm } from './mcp-server.ts';
import type { SourceTool } from './served-tool.ts';

/** Descriptions of tools, each made once as long as neither tool nor name changes. */
export interface ToolDescriptions {
  of(name: string, tool: SourceTool, form: SchemaForm): DescribedTool;
}

/** The descriptions that were used last, for all servers together. */
export function createToolDescriptions(capacity: number): ToolDescriptions {
  const recent = new Map<string, DescribedTool>();
  return {
    of(name, tool, form) {
      const key = digestOf(name, tool, form);
      const described = recent.get(key) ?? describeTool(name, tool, form);
      rememberRecent(recent, key, described, capacity);
      return described;
    },
  };
}

/** A digest of everything that a description is made from. */
function digestOf(
  name: string,
  { inputSchema, outputSchema, ...tool }: SourceTool,
  form: SchemaForm,
): string {
  const { title, description, upstreamName, effects } = tool;
  const { supportsFilters, supportsSort, supportsTopOffset, maxFilters, maxSorts } = tool;
  const rest = JSON.stringify([
    [name, form, title, description, upstreamName, effects],
    [supportsFilters, supportsSort, supportsTopOffset, maxFilters, maxSorts],
    inputSchema.bytes.length,
  ]);
  return createHash('sha256')
    .update(rest)
    .update(inputSchema.bytes)
    .update(outputSchema.bytes)
    .digest('base64');
}
