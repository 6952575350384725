import type { PlanRun } from './plan-run.ts';

/** Examples of tools, executions and the history. */
export async function toolExamples(run: PlanRun): Promise<void> {
  await run.example('listTools', { query: { applicationSlug: 'sandbox-crm', top: 1 } });
  const params = { toolSlug: 'sandbox-crm-create-contact' };
  await run.example('getTool', { params });
  await run.refusal('NOT_FOUND', 'getTool', { params: { toolSlug: 'sandbox-crm-create-contcat' } });
  await run.refusal('VALIDATION_ERROR', 'executeTool', { params, body: { fields: { name: 1815 } } });
  const fields = { name: 'Ada Lovelace', email: 'ada@example.com', company: 'Analytical Engines' };
  const { historyId } = await run.example('executeTool', { params, body: { fields } });
  const list = { query: { toolSlug: params.toolSlug, top: 1 } };
  await run.example('listExecutions', list);
  await run.example('getExecution', { params: { historyId } });
}
