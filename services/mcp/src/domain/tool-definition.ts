import { createHash } from 'node:crypto';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';
import type { SourceTool } from './served-tool.ts';

/** The definition of a tool by the MCP server that it comes from. */
export interface ToolDefinition {
  /** Name of the tool at that server. */
  readonly upstreamName: string;
  /** Digest of the texts and schemas. */
  readonly fingerprint: string;
}

/** A tool as its MCP server defines it. */
export interface DefinedTool {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  readonly definition: ToolDefinition;
}

/** Definitions of tools. */
export interface ToolDefinitions {
  /** The tools that come from other MCP servers. */
  of(tools: readonly SourceTool[]): readonly DefinedTool[];
}

/** The members of a tool that its definition consists of. */
type Defined = Pick<SourceTool, 'title' | 'description' | 'inputSchema' | 'outputSchema'>;

/** Definitions whose fingerprints are kept by the bytes that they were made from: most tools are the same at each read. */
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

/** The same for schemas whose members are in another order. */
function fingerprintOf({ title, description, inputSchema, outputSchema }: Defined): string {
  const schemas = [inputSchema.parseObject(), outputSchema.parseObject()];
  return digest(canonicalJson([title, description, ...schemas]));
}

function bytesDigest({ title, description, inputSchema, outputSchema }: Defined): string {
  const head = JSON.stringify([title, description, inputSchema.bytes.length]);
  return digest(head, inputSchema.bytes, outputSchema.bytes);
}

function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}
