import { createHash } from 'node:crypto';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';
import type { SourceTool } from './server-tool.ts';

/** A tool's definition by its MCP server. */
export interface ToolDefinition {
  /** The tool's name at that server. */
  readonly upstreamName: string;
  /** Digest of the texts and schemas. */
  readonly fingerprint: string;
}

/** A tool with its definition. */
export interface DefinedTool {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  readonly definition: ToolDefinition;
}

/** Computes definitions of tools. */
export interface ToolDefinitions {
  /** The tools that come from other MCP servers. */
  of(tools: readonly SourceTool[]): readonly DefinedTool[];
}

/** The members of a tool that belong to its definition. */
type DefinitionMembers = Pick<SourceTool, 'title' | 'description' | 'inputSchema' | 'outputSchema'>;

/** Caches fingerprints by the bytes of the definition, because most tools are unchanged at each read. */
export function createToolDefinitions(capacity: number): ToolDefinitions {
  const recent = new Map<string, string>();
  return {
    of: (tools) =>
      tools
        .filter(({ upstreamName }) => upstreamName !== '')
        .map((tool) => {
          const { applicationSlug, toolSlug, upstreamName } = tool;
          const key = bytesDigest(tool);
          const fingerprint = recent.get(key) ?? fingerprintOf(tool);
          rememberRecent(recent, key, fingerprint, capacity);
          return { applicationSlug, toolSlug, definition: { upstreamName, fingerprint } };
        }),
  };
}

/** Independent of the order of members in schemas. */
function fingerprintOf({ title, description, inputSchema, outputSchema }: DefinitionMembers): string {
  const schemas = [inputSchema.parseObject(), outputSchema.parseObject()];
  return digest(canonicalJson([title, description, ...schemas]));
}

function bytesDigest({ title, description, inputSchema, outputSchema }: DefinitionMembers): string {
  const head = JSON.stringify([title, description, inputSchema.bytes.length]);
  return digest(head, inputSchema.bytes, outputSchema.bytes);
}

function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}
