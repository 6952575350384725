import type { Json, PlanRun } from './plan-run.ts';

const TOOLS = ['sandbox-crm-list-contacts', 'sandbox-crm-create-contact'];

/** Examples of toolsets, and of calls that need an approval. */
export async function toolsetExamples(run: PlanRun, connectionId: number): Promise<void> {
  const members = {
    name: 'Support agent',
    description: 'Reads contacts; creates them if a person approves.',
    connections: [{ connectionId }],
    tools: TOOLS.map((toolSlug) => ({ applicationSlug: 'sandbox-crm', toolSlug })),
    policy: { requireApproval: ['sandbox-crm-create-contact'] },
  };
  const { id } = await run.example('createToolset', { body: members });
  const params = { id };
  await run.example('getToolset', { params });
  await run.example('listToolsetTools', { params, query: { format: 'openai', top: 1 } });
  const approved = await requestApproval(run, id, 'Grace Hopper');
  const rejected = await requestApproval(run, id, 'Charles Babbage');
  await run.example('listApprovals', { query: { status: 'pending' } });
  await run.example('approveCall', { params: { approvalId: approved } });
  await run.example('rejectCall', { params: { approvalId: rejected } });
  await run.example('updateToolset', { params, body: { description: 'Reads and creates contacts.' } });
  await run.example('listToolsets');
  await run.example('deleteToolset', { params });
}

/** Makes a call that waits for an approval; returns the approval's id. */
async function requestApproval(run: PlanRun, toolsetId: string, name: string): Promise<string> {
  const { approvalId }: Json = await run.call('executeTool', {
    params: { toolSlug: 'sandbox-crm-create-contact' },
    query: { toolsetId },
    body: { fields: { name } },
  });
  return String(approvalId);
}
