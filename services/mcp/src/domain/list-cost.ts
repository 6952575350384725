import type { ToolEntry } from './server-tool.ts';

/** Tokenizers differ; models need about one token per four bytes of English JSON. */
const BYTES_PER_TOKEN = 4;

/** Estimates the tokens that a list of tools uses in a model's context: one per 4 bytes of JSON, rounded up. */
export function listTokens(tools: readonly Pick<ToolEntry, 'listed'>[]): number {
  const brackets = 2;
  const commas = Math.max(tools.length - 1, 0);
  const bytes = tools.reduce((sum, { listed }) => sum + listed.bytes.length, brackets + commas);
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
