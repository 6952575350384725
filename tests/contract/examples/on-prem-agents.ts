import type { PlanRun } from './plan-run.ts';

/** On-prem agents. The account has none but this. */
export async function onPremAgentExamples(run: PlanRun): Promise<void> {
  const { id } = await run.example('createOnPremAgent', {
    body: { applicationSlug: 'onprem-http', name: 'Data centre', settings: { parallelTasks: 20 } },
  });
  const params = { id };
  await run.example('getOnPremAgent', { params });
  await run.example('updateOnPremAgent', { params, body: { settings: { logLevel: 'Debug' } } });
  await run.example('listOnPremAgents', { query: { top: 1 } });
  await run.example('getOnPremAgentToken', { params });
  await run.example('rotateOnPremAgentToken', { params, query: { confirm: true } });
  await run.example('deleteOnPremAgent', { params });
  await run.example('getLatestAgentRelease');
}
