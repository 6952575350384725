import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import type { PlanRun } from './plan-run.ts';

/** An empty archive. */
const ARCHIVE = `PK\u0005\u0006${'\0'.repeat(18)}`;

/** Examples of on-prem agents. The account has only this one. */
export async function onPremAgentExamples(run: PlanRun): Promise<void> {
  const { id, token } = await run.example('createOnPremAgent', {
    body: { applicationSlug: 'onprem-http', name: 'Data centre', settings: { parallelTasks: 20 } },
  });
  const params = { id };
  await run.example('getOnPremAgent', { params });
  await run.example('updateOnPremAgent', { params, body: { settings: { logLevel: 'Debug' } } });
  await run.example('listOnPremAgents', { query: { top: 1 } });
  await logsExample(run, { id, token });
  await run.example('getOnPremAgentToken', { params });
  await run.example('rotateOnPremAgentToken', { params, query: { confirm: true } });
  await run.example('deleteOnPremAgent', { params });
  await run.example('getLatestAgentRelease');
}

/** The agent only provides logs. */
async function logsExample(
  run: PlanRun,
  { id, token }: { readonly id: number; readonly token: string },
): Promise<void> {
  const agent = testAgent({ url: run.surroundings.stack.baseUrl, token });
  await agent.hello();
  const example = run.example('downloadOnPremAgentLogs', { params: { id } });
  const task = await agent.take();
  const headers = { 'content-type': 'application/zip' };
  await agent.send('PUT', `/tasks/${task.id}/result`, { body: ARCHIVE, headers });
  await example;
  await agent.send('POST', '/goodbye');
}
