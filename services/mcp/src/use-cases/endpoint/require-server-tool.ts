import { unknownSlug } from '@fairlead/errors/api-error';
import { MAX_QUERY_CHARACTERS } from '../../domain/browsing-tools.ts';
import { visibleTools } from '../../domain/server-tool.ts';
import type { ServerTool, ServerTools } from '../../domain/server-tool.ts';
import type { ToolSearch } from '../../ports/tool-search.ts';

export interface RequireServedToolDeps {
  readonly toolSearch: ToolSearch;
}

const MAX_CANDIDATES = 3;

/** The tool with that name; NOT_FOUND with similar names if the server has none. */
export async function requireServerTool(
  { toolSearch }: RequireServedToolDeps,
  tools: ServerTools,
  name: string,
): Promise<ServerTool> {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const words = name.slice(0, MAX_QUERY_CHARACTERS).replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  const found = words.trim() === '' ? [] : await toolSearch.find(visibleTools(tools), words);
  throw unknownSlug('tool', name, found.slice(0, MAX_CANDIDATES));
}
