import type { ServerTool } from '../domain/server-tool.ts';

/** Searches tools by words. */
export interface ToolSearch {
  /** Names of matching tools, best first; all of them by name if the query has no words. */
  find(tools: readonly ServerTool[], query: string): Promise<readonly string[]>;
}
