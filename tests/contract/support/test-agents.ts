import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import type { TestAgent } from '@fairlead/agent-channel/testing/test-agent';
import { expectStatus } from './accounts.ts';
import { post, stack } from './api.ts';
import type { TestAccount } from './own-accounts.ts';

/** An agent of the account whose process is online, and does what the test says. */
export async function onlineAgent(
  account: TestAccount,
  members: Record<string, unknown> = {},
): Promise<{ readonly id: number; readonly token: string; readonly agent: TestAgent }> {
  const sent = { applicationSlug: 'onprem-http', name: 'Lab', ...members };
  const { id, token } = expectStatus(await post('/v1/on-prem-agents', sent, account), 201).body;
  const agent = testAgent({ url: stack.baseUrl, token });
  const { status } = await agent.hello();
  if (status !== 200) throw new Error(`The agent was refused with ${status}.`);
  return { id, token, agent };
}
