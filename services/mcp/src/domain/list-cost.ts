import type { ListedTool } from './served-tool.ts';

/** Tokenizers differ; models make about one token of four bytes of JSON in English. */
const BYTES_PER_TOKEN = 4;

/** An estimate of the tokens that a list of tools takes in the context of a model: one for each 4 bytes of its JSON, rounded up. */
export function listTokens(tools: readonly Pick<ListedTool, 'listed'>[]): number {
  const brackets = 2;
  const commas = Math.max(tools.length - 1, 0);
  const bytes = tools.reduce((sum, { listed }) => sum + listed.bytes.length, brackets + commas);
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
