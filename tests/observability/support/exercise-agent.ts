import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import { call, stack } from '../../contract/support/api.ts';
import type { Answer, CallOptions } from '../../contract/support/api.ts';
import { answeringAgent } from '../../contract/support/test-agents.ts';

/** Records a secret, by default a new one, and returns it. */
export type Plant = (name: string, value?: string) => string;
/** Makes a call and records its answer. */
export type Send = (what: string, method: string, path: string, options?: CallOptions) => Promise<Answer>;

/**
 * Uses an on-prem agent's current, former and an unknown token on its channel, and makes it run a call. Answers that give a token to its
 * owner are not recorded.
 */
export async function exerciseAgent(send: Send, plant: Plant): Promise<void> {
  const agent = await answeringAgent(stack.account, { status: 200, headers: {}, body: null });
  plant('token of an agent', agent.token);
  const record = `/v1/on-prem-agents/${agent.id}`;
  const request = `/v1/tools/onprem-http-request/execute?connectionId=${agent.id}`;
  const body = { fields: { url: 'http://intranet.example/' } };
  const { isSuccess } = (await send('call of an agent', 'POST', request, { body })).body;
  if (isSuccess !== true) throw new Error('The call of the agent failed.');
  await call('GET', `${record}/token`);
  await agent.stop();
  await send('call of an agent that is offline', 'POST', request, { body });
  const { token } = (await call('POST', `${record}/token?confirm=true`)).body;
  plant('next token of an agent', token);
  for (const used of [agent.token, token, plant('unknown token of an agent', `${agent.token}x`)]) {
    const process = testAgent({ url: stack.baseUrl, token: used });
    await (await process.hello()).body?.cancel();
    await (await process.send('PUT', `/tasks/${used}/result`, { json: { token: used } })).body?.cancel();
  }
  await send('agent', 'GET', record);
  await send('agents', 'GET', '/v1/on-prem-agents');
  await send('delete an agent', 'DELETE', record);
}
