import type { ServedTool } from '../domain/served-tool.ts';

/** Searches tools by words. */
export interface ToolSearch {
  /** Names of matching tools, best first; all of them by name if the query has no words. */
  find(tools: readonly ServedTool[], query: string): Promise<readonly string[]>;
}
