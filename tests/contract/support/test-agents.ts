import { setTimeout as delay } from 'node:timers/promises';
import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import type { TestAgent } from '@fairlead/agent-channel/testing/test-agent';
import { expectStatus } from './accounts.ts';
import { post, stack } from './api.ts';
import type { TestAccount } from './own-accounts.ts';

/** An online agent of the account, controlled by the test. */
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

const RETRY_MS = 200;

/** An agent of the account that answers each call with this output until it is stopped. */
export async function answeringAgent(
  account: TestAccount,
  output: Readonly<Record<string, unknown>>,
): Promise<{ readonly id: number; readonly token: string; stop(): Promise<void> }> {
  const { id, token, agent } = await onlineAgent(account);
  const stopping = new AbortController();
  const answerCalls = async (): Promise<void> => {
    for (const task of (await agent.poll())?.tasks ?? []) {
      if (task.hasEffects && (await agent.start(task.id)) !== 204) continue;
      await agent.deliver(task.id, { isSuccess: true, output, attempts: 1 });
    }
  };
  const answering = (async () => {
    // Like a real agent, it continues after a failed poll.
    while (!stopping.signal.aborted) await answerCalls().catch(() => delay(RETRY_MS));
  })();
  return {
    id,
    token,
    async stop() {
      stopping.abort();
      // Aborts the open poll.
      await agent.send('POST', '/goodbye');
      await answering;
    },
  };
}
