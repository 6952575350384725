import type { Connector } from '../model.ts';

/** Whether the tools come from an MCP server: one that each connection chooses, or an imported one. */
export function speaksMcp({ kind, tools }: Pick<Connector, 'kind' | 'tools'>): boolean {
  return (
    kind === 'MCPClient' || (kind === 'Regular' && tools.some(({ execution }) => execution.type === 'mcp'))
  );
}
