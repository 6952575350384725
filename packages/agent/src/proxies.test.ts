import { describe, expect, test } from 'vitest';
import { privateFile, startAgentProcess, temporaryDirectory } from './testing/agent-process.ts';
import { plainTask, TestPlatform, TOKEN } from './testing/test-platform.ts';
import { createAuthority, startProxy } from './testing/test-proxy.ts';

/** A name that only the proxy knows. */
const ADDRESS = 'https://fairlead.example.invalid';

async function startBehind(proxyOptions: Partial<Parameters<typeof startProxy>[0]> = {}) {
  const platform = new TestPlatform();
  const target = await platform.listen();
  return { platform, target, proxy: await startProxy({ target, ...proxyOptions }) };
}

const settingsTask = (platform: TestPlatform, id: string) =>
  plainTask(id, 'settings', { settings: platform.settings });

describe('an agent behind a proxy', () => {
  test('works through tunnels, with the user and password of its configuration, which no log shows', async () => {
    const { platform, target, proxy } = await startBehind({ credentials: 'ann:p@ssphrase' });
    const directory = temporaryDirectory();
    const way = privateFile(directory, 'proxy', `http://ann:p%40ssphrase@127.0.0.1:${proxy.port}`);
    const agent = startAgentProcess(target, { config: `proxy: { file: ${way} }` });
    platform.send(settingsTask(platform, 'a'));
    await expect.poll(() => platform.outcome('a')).toEqual({ isSuccess: true });
    const { host } = new URL(target);
    expect(new Set(proxy.tunnels)).toEqual(new Set([host]));
    expect(proxy.refusals()).toBe(0);
    for (const secret of ['p@ssphrase', 'p%40ssphrase', btoa('ann:p@ssphrase')])
      expect(agent.text()).not.toContain(secret);
  });

  test('works through a proxy that reads TLS and buffers, with the certificate of its authority', async () => {
    const authority = await createAuthority('Acme Networks');
    const { platform, proxy } = await startBehind({ authority });
    const directory = temporaryDirectory();
    const caFile = privateFile(directory, 'ca.pem', authority.cert);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const agent = startAgentProcess(ADDRESS, { config: `caFile: ${caFile}`, env });
    platform.send(settingsTask(platform, 'a'), plainTask('logs', 'logs'));
    await expect.poll(() => platform.results.map(({ id }) => id).toSorted()).toEqual(['a', 'logs']);
    expect(
      platform.results
        .find(({ id }) => id === 'logs')
        ?.body.subarray(0, 2)
        .toString(),
    ).toBe('PK');
    expect(platform.hellos).toHaveLength(1);
    agent.kill('SIGTERM');
    expect(await agent.ended()).toBe(0);
    expect(platform.goodbyes).toBe(1);
  });

  test('goes on by itself after the network was cut, and says so once', async () => {
    const { platform, target, proxy } = await startBehind();
    const agent = startAgentProcess(target, { config: `proxy: 'http://127.0.0.1:${proxy.port}'` });
    await expect.poll(() => platform.openPoll).toBeDefined();
    proxy.cut();
    await expect.poll(() => agent.text()).toContain('the platform cannot be reached');
    platform.send(settingsTask(platform, 'a'));
    proxy.restore();
    await expect.poll(() => platform.outcome('a')).toEqual({ isSuccess: true });
    expect(platform.hellos).toHaveLength(1);
    const warnings = agent
      .text()
      .split('\n')
      .filter((line) => line.startsWith('{"level":"warn"'));
    expect(warnings).toHaveLength(1);
    expect(agent.text().match(/"connected to the platform"/g)).toHaveLength(2);
  });
});

describe('fairlead-agent check', () => {
  const check = async (url: string, o: Parameters<typeof startAgentProcess>[1] = {}) => {
    const agent = startAgentProcess(url, { ...o, args: ['check'] });
    const code = await agent.ended();
    return { code, text: agent.text() };
  };
  const last = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

  test('names the agent of the token, and changes nothing', async () => {
    const platform = new TestPlatform();
    const { code, text } = await check(await platform.listen());
    expect(last(text)).toBe('ok    token          of the agent Lab (7, onprem-http)');
    expect(code).toBe(0);
    expect(platform.hellos).toEqual([]);
  });

  test('says that a name is not known, or that nothing listens', async () => {
    const unknown = await check(ADDRESS);
    expect(last(unknown.text)).toMatch(/^FAIL {2}DNS .*fairlead\.example\.invalid is not known here/);
    expect(unknown.code).toBe(1);
    const gone = await check('http://127.0.0.1:1');
    expect(last(gone.text)).toMatch(/^FAIL {2}TCP .*firewall.*ECONNREFUSED/);
  });

  test.each([
    ['', 'asks for a user and a password (407)'],
    ['ann:wrong@', 'refuses the user or the password (407)'],
  ])('says that the proxy refuses (%s)', async (credentials, words) => {
    const { target, proxy } = await startBehind({ credentials: 'ann:right' });
    const config = `proxy: 'http://${credentials}127.0.0.1:${proxy.port}'`;
    const { code, text } = await check(target, { config });
    expect(last(text)).toContain(words);
    expect(last(text)).toMatch(/^FAIL {2}proxy/);
    expect(code).toBe(1);
    expect(text).not.toContain('wrong');
  });

  test('names who issued a certificate that is not trusted, and trusts it with caFile', async () => {
    const authority = await createAuthority('Acme Networks');
    const { proxy } = await startBehind({ authority });
    const proxyLine = `proxy: 'http://127.0.0.1:${proxy.port}'`;
    const refused = await check(ADDRESS, { config: proxyLine });
    expect(refused.code).toBe(1);
    expect(last(refused.text)).toMatch(/^FAIL {2}TLS .*issued by Acme Networks, is not trusted.*caFile/);
    const caFile = privateFile(temporaryDirectory(), 'ca.pem', authority.cert);
    const { code, text } = await check(ADDRESS, { config: `${proxyLine}\ncaFile: ${caFile}` });
    expect([code, text]).toEqual([0, expect.stringContaining('issued by Acme Networks')]);
  });

  test('says that the token belongs to no agent, or that something else answers', async () => {
    const platform = new TestPlatform();
    const url = await platform.listen();
    const { code, text } = await check(url, { token: `${TOKEN}x` });
    expect([code, last(text)]).toEqual([1, expect.stringMatching(/^FAIL {2}token .*to no agent/)]);
    platform.override = () => ({ status: 401, body: 'Log in to the network' });
    expect(last((await check(url)).text)).toMatch(/^FAIL {2}token .*no answer of the platform/);
  });
});
