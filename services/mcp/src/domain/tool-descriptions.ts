import { createHash } from 'node:crypto';
import { SharedSpace } from '@fairlead/service-kit/cache/shared-space';
import { describeTool } from './describe-tool.ts';
import type { DescribedTool } from './describe-tool.ts';
import type { SchemaForm } from './mcp-server.ts';
import type { SourceTool } from './server-tool.ts';

/** Caches descriptions of tools as long as neither tool nor name changes. */
export interface ToolDescriptions {
  of(name: string, tool: SourceTool, form: SchemaForm): DescribedTool;
}

/** Approximate memory of a description, apart from its text. */
const OVERHEAD_BYTES = 1_024;

/** The most recently used descriptions, for all servers together, in about `bytes` of memory. */
export function createToolDescriptions(bytes: number): ToolDescriptions {
  const recent = new SharedSpace<DescribedTool>({ bytes, bytesPerOwner: bytes });
  return {
    of(name, tool, form) {
      const key = digestOf(name, tool, form);
      const kept = recent.get(key);
      if (kept !== undefined) return kept;
      const described = describeTool(name, tool, form);
      const size = described.listed.bytes.length + OVERHEAD_BYTES;
      recent.set(key, { owner: '', bytes: size, value: described });
      return described;
    },
  };
}

/** A digest of all inputs of a description. */
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
