import type { PlanRun } from './plan-run.ts';

/** Examples of MCP servers. The account has only its default one and this one. */
export async function mcpServerExamples(run: PlanRun, connectionId: number): Promise<void> {
  const tools = ['sandbox-crm-list-contacts', 'sandbox-crm-create-contact'];
  const { mcpServerToken } = await run.example('createMcpServer', {
    body: {
      name: 'Sales assistant',
      description: 'Contacts for the assistant of the sales team.',
      connections: [{ connectionId, tools }],
    },
  });
  const params = { mcpServerToken };
  await run.example('getMcpServer', { params });
  await run.example('updateMcpServer', { params, body: { connections: [{ connectionId }] } });
  await run.example('listMcpServers', { query: { top: 1 } });
  await run.example('acceptChangedTools', { params });
  const rotated = await run.example('rotateMcpServerToken', { params });
  await run.example('deleteMcpServer', { params: { mcpServerToken: rotated.mcpServerToken } });
}
