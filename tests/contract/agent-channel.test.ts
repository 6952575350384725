import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { get, post, stack } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { onlineAgent } from './support/test-agents.ts';

const path = '/v1/on-prem-agents';
const REQUEST = '/v1/tools/onprem-http-request/execute';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const status = async (id: number) => (await get(`${path}/${id}`, account)).body.status as string;

describe('The process of an on-prem agent', () => {
  row(
    ['on-prem-agent.2', 'completion.on-prem-agents.10', 'completion.on-prem-agents.12'],
    'has its agent online, says its version and platform, and offline at once with its goodbye',
    async () => {
      const { id, agent } = await onlineAgent(account);
      expect((await get(`${path}/${id}`, account)).body).toMatchObject({
        status: 'Online',
        agentVersion: '0.1.0',
        platform: 'linux-x64',
        lastSeenAt: expect.stringMatching(/Z$/),
      });
      expect((await agent.send('POST', '/goodbye')).status).toBe(204);
      expect(await status(id)).toBe('Offline');
    },
  );

  row(
    'completion.on-prem-agents.18',
    'gets the calls of its tools at once, however long its poll may wait',
    async () => {
      const { id, agent } = await onlineAgent(account, { settings: { pullPeriodSeconds: 600 } });
      const next = agent.poll();
      const fields = { url: 'http://intranet.example/', method: 'POST', body: { amount: 1 } };
      const answer = post(`${REQUEST}?connectionId=${id}`, { fields }, account);
      const [task] = (await next)?.tasks ?? [];
      if (task === undefined) throw new Error('The poll ended without the call.');
      expect(task).toMatchObject({ kind: 'call', hasEffects: true });
      const call = JSON.parse(task.kind === 'call' ? Buffer.from(task.call).toString() : '{}');
      expect(call).toMatchObject({ fields, tool: { toolSlug: 'onprem-http-request' } });
      expect(await agent.start(task.id)).toBe(204);
      const output = { status: 200, headers: {}, body: { isPaid: true } };
      expect(await agent.deliver(task.id, { isSuccess: true, output, attempts: 1 })).toBe(204);
      expect(expectStatus(await answer, 200).body).toMatchObject({ isSuccess: true, output });
    },
  );

  row(
    ['on-prem-agents.9', 'completion.on-prem-agents.21', 'completion.on-prem-agents.22'],
    'is the newest one with the token, and none once that is replaced, which has the agent offline at once',
    async () => {
      const { id, token, agent } = await onlineAgent(account);
      const newer = testAgent({ url: stack.baseUrl, token });
      await newer.hello();
      const refusals = async (answer: Response) => [answer.status, (await answer.json()) as object];
      const poll = { json: { freeSlots: 0, taskIds: [] } };
      expect(await refusals(await agent.send('POST', '/poll', poll))).toMatchObject([
        409,
        { errorCode: 'AGENT_REPLACED' },
      ]);
      expect((await newer.send('GET', '/whoami')).status).toBe(200);
      expect(await status(id)).toBe('Online');
      const open = newer.send('POST', '/poll', poll);
      expectStatus(await post(`${path}/${id}/token?confirm=true`, undefined, account), 200);
      expect(await status(id)).toBe('Offline');
      const unauthorized = [401, { errorCode: 'UNAUTHORIZED', requestId: expect.any(String) }];
      expect(await refusals(await open)).toMatchObject(unauthorized);
      expect(await refusals(await newer.send('GET', '/whoami'))).toMatchObject(unauthorized);
    },
  );
});
