import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { createAuthority, startProxy } from '@fairlead/agent/testing/test-proxy';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { agentStatus, runningAgent, startAgent } from './support/agent-program.ts';
import { post, stack } from './support/api.ts';
import { startIntranet } from './support/intranet.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** Runs ten concurrent calls on that agent; all must succeed, once each. */
async function expectCalls(id: number): Promise<void> {
  const site = await startIntranet();
  const urls = Array.from({ length: 10 }, (_, index) => `${site.url}/${index}`);
  const outcomes = await Promise.all(
    urls.map(async (url) => {
      const path = `/v1/tools/onprem-http-request/execute?connectionId=${id}`;
      return expectStatus(await post(path, { fields: { url } }, account), 200).body.isSuccess;
    }),
  );
  expect(outcomes).toEqual(urls.map(() => true));
  expect(site.requests.map(({ url }) => url).toSorted()).toEqual(urls.map((_, index) => `/${index}`));
}

describe('The agent program in a company network', () => {
  row(
    ['completion.on-prem-agents.19', 'completion.on-prem-agents.25'],
    'works through a proxy that asks for a user and a password',
    async () => {
      const proxy = await startProxy({ target: stack.baseUrl, credentials: 'ann:way-out-42' });
      const config = `proxy: { env: WAY_OUT }`;
      const env = { WAY_OUT: `http://ann:way-out-42@127.0.0.1:${proxy.port}` };
      const { id, program } = await runningAgent(account, { config, env });
      await expectCalls(id);
      expect(proxy.tunnels.length).toBeGreaterThan(0);
      expect(program.text()).not.toContain('way-out-42');
    },
  );

  row(
    ['completion.on-prem-agents.19', 'completion.on-prem-agents.12'],
    'works through a proxy that reads TLS, buffers and cuts after 60 s, once it has its certificate',
    async () => {
      const authority = await createAuthority('Acme Networks');
      const proxy = await startProxy({ target: stack.baseUrl, authority });
      // A name that only the proxy can resolve.
      const url = 'https://fairlead.example.invalid';
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
      const created = await post(
        '/v1/on-prem-agents',
        { applicationSlug: 'onprem-http', name: 'Lab' },
        account,
      );
      const { id, token } = expectStatus(created, 201).body;
      const check = startAgent({ token, url, env, subcommand: 'check' });
      expect(await check.ended()).toBe(1);
      expect(check.text()).toMatch(/FAIL {2}TLS .*issued by Acme Networks, is not trusted/);
      expect(await agentStatus(account, id)).toBe('WaitingForConnection');

      const caFile = join(check.directory, 'ca.pem');
      writeFileSync(caFile, authority.cert);
      const trusting = { token, url, env, config: `caFile: ${caFile}` };
      const again = startAgent({ ...trusting, subcommand: 'check' });
      expect([await again.ended(), again.text()]).toEqual([
        0,
        expect.stringMatching(new RegExp(`ok {4}token .*of the agent Lab \\(${id}, onprem-http\\)`)),
      ]);
      expect(await agentStatus(account, id)).toBe('WaitingForConnection');

      const program = startAgent(trusting);
      await expect.poll(() => agentStatus(account, id)).toBe('Online');
      await expectCalls(id);
      program.kill('SIGTERM');
      expect(await program.ended()).toBe(0);
      expect(await agentStatus(account, id)).toBe('Offline');
    },
  );
});
