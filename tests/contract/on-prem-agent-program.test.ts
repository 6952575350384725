import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { agentStatus, runningAgent, startAgent } from './support/agent-program.ts';
import { get, post, stack } from './support/api.ts';
import { startIntranet } from './support/intranet.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const path = '/v1/on-prem-agents';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** Runs `onprem-http-request` on that agent. */
async function request(id: number, fields: Record<string, unknown>, signal?: AbortSignal) {
  const answer = await post(
    `/v1/tools/onprem-http-request/execute?connectionId=${id}`,
    { fields },
    { ...account, ...(signal !== undefined && { signal }) },
  );
  return expectStatus(answer, 200).body;
}

describe('The agent program', () => {
  row(
    ['completion.on-prem-agents.19', 'completion.on-prem-agents.25', 'on-prem-agent.2'],
    'runs from a checkout by npm, and reaches everything in its network',
    async () => {
      const site = await startIntranet();
      const created = await post(path, { applicationSlug: 'onprem-http', name: 'By npm' }, account);
      const { id, token } = expectStatus(created, 201).body;
      const program = startAgent({
        token,
        command: ['npm', 'run', 'agent', '--', '--url', stack.baseUrl, '--token', token],
      });
      await expect.poll(() => agentStatus(account, id)).toBe('Online');
      const fields = {
        method: 'POST',
        url: `${site.url}/orders?a=1`,
        headers: { 'x-own': 'yes' },
        query: { b: ['2', '3'] },
        body: { amount: 1 },
      };
      expect(await request(id, fields)).toMatchObject({
        isSuccess: true,
        output: { status: 200, headers: { 'content-type': 'application/json' }, body: { ok: true } },
      });
      expect(site.requests).toMatchObject([
        {
          method: 'POST',
          url: '/orders?a=1&b=2&b=3',
          headers: { 'x-own': 'yes', 'content-type': 'application/json' },
          body: '{"amount":1}',
        },
      ]);
      program.kill('SIGTERM');
      await program.ended();
      expect(await agentStatus(account, id)).toBe('Offline');
    },
  );

  row('completion.on-prem-agents.26', 'reaches what its configuration allows, and nothing else', async () => {
    const site = await startIntranet();
    const { host } = new URL(site.url);
    const { id } = await runningAgent(account, { config: `allow: { hosts: ['${host}'] }` });
    expect(await request(id, { url: site.url })).toMatchObject({ isSuccess: true });
    for (const url of [
      'http://127.0.0.1:1/',
      'http://localhost:1/',
      'http://169.254.169.254/',
      stack.baseUrl,
    ])
      expect(await request(id, { url })).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining('the configuration of this program does not allow it'),
      });
    const redirected = await request(id, { url: `${site.url}/redirect?to=${stack.baseUrl}` });
    expect(redirected).toMatchObject({ isSuccess: true, output: { status: 302 } });
  });

  row(
    'completion.on-prem-agents.26',
    'uses credentials of its own, which the platform never gets',
    async () => {
      const site = await startIntranet();
      const { id, program } = await runningAgent(account, {
        config: `profiles: { erp: { type: http, baseUrl: '${site.url}/api', headers: { x-key: { env: ERP_KEY } } } }`,
        env: { ERP_KEY: 'known-to-the-agent-alone' },
      });
      expect(await request(id, { profile: 'erp', url: 'orders' })).toMatchObject({ isSuccess: true });
      expect(site.requests).toMatchObject([
        { url: '/api/orders', headers: { 'x-key': 'known-to-the-agent-alone' } },
      ]);
      const outside = await request(id, { profile: 'erp', url: 'http://127.0.0.1:1/' });
      expect(outside).toMatchObject({ isSuccess: false });
      const { text } = await get(`${path}/${id}`, account);
      for (const shown of [text, program.text(), JSON.stringify(outside)])
        expect(shown).not.toContain('known-to-the-agent-alone');
    },
  );

  row('limits.17', 'runs as many calls at the same time as its settings say', async () => {
    const site = await startIntranet();
    const { id } = await runningAgent(account, { members: { settings: { parallelTasks: 3 } } });
    const calls = Array.from({ length: 20 }, () => request(id, { url: `${site.url}/held` }));
    await expect.poll(() => site.requests.length).toBe(3);
    site.release();
    for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ isSuccess: true });
    expect(site.requests).toHaveLength(20);
    expect(site.most()).toBe(3);
  });

  row(
    ['on-prem-agents.9', 'completion.on-prem-agents.22'],
    'ends with exit code 77 once its token is replaced, and shows the token nowhere',
    async () => {
      const { id, token, program } = await runningAgent(account);
      const shown = ['cmdline', 'environ'].map((name) =>
        readFileSync(`/proc/${program.pid}/${name}`, 'utf8'),
      );
      expectStatus(await post(`${path}/${id}/token?confirm=true`, undefined, account), 200);
      expect(await agentStatus(account, id)).toBe('Offline');
      expect(await program.ended()).toBe(77);
      for (const text of [...shown, program.text()]) expect(text).not.toContain(token);
    },
  );

  row(
    'completion.on-prem-agents.21',
    'ends with exit code 78 when another process starts with its token; calls go to that one',
    async () => {
      const site = await startIntranet();
      const { id, token, program } = await runningAgent(account);
      const newer = startAgent({ token });
      expect(await program.ended()).toBe(78);
      expect(await request(id, { url: site.url })).toMatchObject({ isSuccess: true });
      expect(await agentStatus(account, id)).toBe('Online');
      newer.kill('SIGTERM');
      expect(await newer.ended()).toBe(0);
      expect(await agentStatus(account, id)).toBe('Offline');
    },
  );

  row(
    'completion.on-prem-agents.25',
    'that is killed while it runs a call with effects leaves an unknown outcome, and runs it no second time',
    async () => {
      const site = await startIntranet();
      const { id, token, program } = await runningAgent(account);
      const outcome = request(id, { method: 'POST', url: `${site.url}/held` });
      await expect.poll(() => site.requests.length).toBe(1);
      program.kill('SIGKILL');
      await program.ended();
      startAgent({ token });
      const { isSuccess, errorMessage } = await outcome;
      expect([isSuccess, errorMessage]).toEqual([false, expect.stringMatching(/not known/)]);
      expect(await request(id, { url: site.url })).toMatchObject({ isSuccess: true });
      expect(site.requests.map(({ url }) => url)).toEqual(['/held', '/']);
    },
  );

  row('completion.on-prem-agents.25', 'gives a call up when its caller has gone', async () => {
    const site = await startIntranet();
    const { id, program } = await runningAgent(account);
    const caller = new AbortController();
    const outcome = request(id, { url: `${site.url}/held` }, caller.signal).catch(() => 'gone');
    await expect.poll(() => site.requests.length).toBe(1);
    caller.abort();
    expect(await outcome).toBe('gone');
    await expect.poll(() => program.text()).toContain('it was cancelled');
  });

  row('completion.on-prem-agents.12', 'lets running calls end before it says goodbye', async () => {
    const site = await startIntranet();
    const { id, program } = await runningAgent(account);
    const outcome = request(id, { url: `${site.url}/held` });
    await expect.poll(() => site.requests.length).toBe(1);
    program.kill('SIGTERM');
    await expect.poll(() => program.text()).toContain('agent stops');
    site.release();
    expect(await outcome).toMatchObject({ isSuccess: true });
    expect(await program.ended()).toBe(0);
    expect(await agentStatus(account, id)).toBe('Offline');
  });
});
