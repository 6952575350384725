import type { Connector } from '../model.ts';

/** Whether the tools are those of an MCP server: of one that its connections choose, or of one that was imported. */
export function speaksMcp({ kind, tools }: Pick<Connector, 'kind' | 'tools'>): boolean {
  return (
    kind === 'MCPClient' || (kind === 'Regular' && tools.some(({ execution }) => execution.type === 'mcp'))
  );
}
