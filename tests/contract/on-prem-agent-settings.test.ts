import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { agentStatus, runningAgent, startAgent } from './support/agent-program.ts';
import { expectError, get, patch, post, stack } from './support/api.ts';
import { startIntranet } from './support/intranet.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const path = '/v1/on-prem-agents';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const change = async (id: number, settings: object) =>
  expectStatus(await patch(`${path}/${id}`, { settings }, account), 200).body;

/** The logs of an agent, as a ZIP archive. */
async function logs(id: number): Promise<Response> {
  const headers = { 'x-api-key': account.apiKey };
  return await fetch(new URL(`${path}/${id}/logs`, stack.baseUrl), { headers });
}

describe('The settings of a running agent', () => {
  row(
    ['on-prem-agent.4', 'on-prem-agent-updates.1', 'on-prem-agents.3'],
    'are applied while it runs, and those from before its start when it connects',
    async () => {
      const { id, token, program } = await runningAgent(account, {
        members: { settings: { parallelTasks: 1 } },
      });
      const site = await startIntranet();
      const requests = ['/held', '/held?second'].map(async (target) => {
        const fields = { url: site.url + target };
        const execution = `/v1/tools/onprem-http-request/execute?connectionId=${id}`;
        return expectStatus(await post(execution, { fields }, account), 200).body.isSuccess;
      });
      await expect.poll(() => site.requests.length).toBe(1);
      const applied = await change(id, { parallelTasks: 2, logLevel: 'Debug' });
      expect(applied).toEqual({ appliedToAgent: true, dispatchedTaskIds: [expect.any(String)] });
      await expect.poll(() => site.requests.length).toBe(2);
      site.release();
      expect(await Promise.all(requests)).toEqual([true, true]);
      expect(program.text()).toContain('"logLevel":"Debug"');
      program.kill('SIGTERM');
      await program.ended();
      const kept = await change(id, { logLevel: 'Error' });
      expect(kept).toEqual({ appliedToAgent: false, dispatchedTaskIds: [] });
      const next = startAgent({ token });
      await expect.poll(() => next.text()).toContain('agent is ready');
      next.kill('SIGTERM');
      expect(await next.ended()).toBe(0);
      expect(await agentStatus(account, id)).toBe('Offline');
      expect(next.text()).not.toContain('agent stops');
    },
  );
});

describe('The logs of an agent', () => {
  row(
    ['on-prem-agents.5', 'on-prem-agents.10'],
    'are an archive that the running agent makes, without a secret',
    async () => {
      const config = `profiles: { erp: { type: http, baseUrl: 'http://erp', headers: { x-key: { env: ERP_KEY } } } }`;
      const { id, token } = await runningAgent(account, {
        config,
        env: { ERP_KEY: 'known-to-the-agent-alone' },
      });
      await change(id, { logLevel: 'Trace' });
      const response = await logs(id);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      const text = firstFile(Buffer.from(await response.arrayBuffer()));
      expect(text).toContain('"msg":"agent is ready"');
      for (const secret of [token, 'known-to-the-agent-alone']) expect(text).not.toContain(secret);
    },
  );

  row('limits.19', 'have no largest size', async () => {
    const { id, program } = await runningAgent(account);
    const size = 64 * 1024 * 1024;
    // A rotated file with incompressible content.
    writeFileSync(join(program.directory, 'logs', 'agent.1.log'), randomBytes(size));
    const response = await logs(id);
    expect(response.status).toBe(200);
    let received = 0;
    for await (const chunk of response.body ?? []) received += chunk.length;
    expect(received).toBeGreaterThan(size);
  });

  row(
    ['on-prem-agents.10', 'errors.10', 'errors.30'],
    'are refused with the agent’s own words when it cannot collect them, and with its status when it is not online',
    async () => {
      const { id, program } = await runningAgent(account);
      rmSync(join(program.directory, 'logs'), { recursive: true });
      const failed = await get(`${path}/${id}/logs`, account);
      expectError(failed, 502, 'OPA_AGENT_ERROR');
      expect(failed.body.message).toContain('The logs could not be collected: ENOENT');
      program.kill('SIGTERM');
      await program.ended();
      const offline = await get(`${path}/${id}/logs`, account);
      expectError(offline, 409, 'OPA_AGENT_OFFLINE');
      expect(offline.body.message).toContain('Offline');
    },
  );

  row(
    ['on-prem-agents.10', 'errors.11', 'errors.33', 'completion.on-prem-agents.11'],
    'of a frozen agent are a timeout; three poll periods of silence later it is offline, and online again by itself',
    async () => {
      const { id, program } = await runningAgent(account);
      program.kill('SIGSTOP');
      expectError(await get(`${path}/${id}/logs`, account), 504, 'OPA_AGENT_TIMEOUT');
      await expect.poll(() => agentStatus(account, id)).toBe('Offline');
      program.kill('SIGCONT');
      await expect.poll(() => agentStatus(account, id)).toBe('Online');
    },
  );
});

/** The content of the first file in a ZIP archive. */
function firstFile(archive: Buffer): string {
  const start = 30 + archive.readUInt16LE(26) + archive.readUInt16LE(28);
  return inflateRawSync(archive.subarray(start)).toString();
}
