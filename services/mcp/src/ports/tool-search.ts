import type { ServedTool } from '../domain/served-tool.ts';

/** Finds tools by words. */
export interface ToolSearch {
  /** Names of the matching tools, the best first; all of them in order of their names if the query has no words. */
  find(tools: readonly ServedTool[], query: string): Promise<readonly string[]>;
}
