import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import type { Answer } from './support/api.ts';
import { expectError, get, patch, post, stack } from './support/api.ts';
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

function expectMessage(answer: Answer, code: number, errorCode: string, text: string): void {
  expectError(answer, code, errorCode);
  expect(answer.body.message).toContain(text);
}

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

  row(
    ['on-prem-agent-updates.1', 'on-prem-agents.3', 'completion.on-prem-agents.9'],
    'gets changed settings and confirms them; a refusal is 502 with its text, and silence is no failure',
    async () => {
      const { id, agent } = await onlineAgent(account);
      const change = (parallelTasks: number) =>
        patch(`${path}/${id}`, { settings: { parallelTasks } }, account);
      const confirmed = change(7);
      const task = await agent.take({ freeSlots: 0 });
      expect(task).toMatchObject({ kind: 'settings', settings: { parallelTasks: 7 } });
      expect(await agent.deliver(task.id, { isSuccess: true })).toBe(204);
      expect(expectStatus(await confirmed, 200).body).toEqual({
        appliedToAgent: true,
        dispatchedTaskIds: [task.id],
      });
      const refused = change(8);
      const errorMessage = 'The disk is full.';
      await agent.deliver((await agent.take()).id, { isSuccess: false, errorMessage });
      expectMessage(await refused, 502, 'OPA_AGENT_ERROR', errorMessage);
      const silent = expectStatus(await change(9), 200).body;
      expect(silent).toEqual({ appliedToAgent: false, dispatchedTaskIds: [expect.any(String)] });
      expect((await get(`${path}/${id}`, account)).body.settings.parallelTasks).toBe(9);
    },
  );

  row(
    ['on-prem-agents.5', 'on-prem-agents.10', 'errors.10', 'errors.30'],
    'sends its logs to all who ask before the first byte; a failure is 502 with its text, and offline 409',
    async () => {
      const { id, agent } = await onlineAgent(account);
      const download = () => get(`${path}/${id}/logs`, account);
      const downloads = [download(), download()];
      const task = await agent.take({ freeSlots: 0 });
      expect(task.kind).toBe('logs');
      const archive = `PK${'x'.repeat(100_000)}`;
      const upload = { body: archive, headers: { 'content-type': 'application/zip' } };
      expect((await agent.send('PUT', `/tasks/${task.id}/result`, upload)).status).toBe(204);
      for (const sent of await Promise.all(downloads)) {
        expect(sent.headers.get('content-type')).toBe('application/octet-stream');
        expect(expectStatus(sent, 200).text).toBe(archive);
      }
      expect((await agent.send('PUT', `/tasks/${task.id}/result`, upload)).status).toBe(410);
      const failing = download();
      const next = await agent.take();
      await agent.deliver(next.id, { isSuccess: false, errorMessage: 'No space left.' });
      expectMessage(await failing, 502, 'OPA_AGENT_ERROR', 'No space left.');
      await agent.send('POST', '/goodbye');
      expectMessage(await download(), 409, 'OPA_AGENT_OFFLINE', 'Offline');
      const unknown = await get(`${path}/2000000000/logs`, account);
      expectMessage(unknown, 404, 'NOT_FOUND', '2000000000');
    },
  );

  row(
    ['completion.on-prem-agents.20', 'errors.11', 'errors.33'],
    'that does not send its logs in time leads to 504',
    async () => {
      const { id, agent } = await onlineAgent(account);
      const download = get(`${path}/${id}/logs`, account);
      const task = await agent.take();
      expectMessage(await download, 504, 'OPA_AGENT_TIMEOUT', 'Lab');
      expect(await agent.deliver(task.id, { isSuccess: true })).toBe(410);
    },
  );
});
