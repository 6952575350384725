import type { PlanRun } from './plan-run.ts';

/** Workflows. */
export async function workflowExamples(run: PlanRun): Promise<void> {
  const body = {
    name: 'Invite people',
    slug: `invite-people${run.surroundings.mark}`,
    description: 'Creates a contact for each person.',
    inputSchema: {
      type: 'object',
      properties: { people: { type: 'array', items: { type: 'string' } } },
      required: ['people'],
    },
    steps: [
      {
        id: 'invite',
        toolSlug: 'sandbox-crm-create-contact',
        forEach: '=input.people',
        fields: { name: '=item' },
      },
    ],
    output: { ids: '=steps.invite.output.id' },
  };
  const { workflowToken } = await run.example('createWorkflow', { body });
  const params = { workflowToken };
  await run.example('getWorkflow', { params });
  await run.example('listWorkflows');
  await run.example('updateWorkflow', { params, body: { name: 'Invite guests' } });
  await run.example('deleteWorkflow', { params });
}
