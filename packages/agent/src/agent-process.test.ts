import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import type { AgentCall } from '@fairlead/agent-channel/call';
import { testConnector, testMethod, testTool } from '@fairlead/connector-runtime/testing/calls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startAgentProcess, temporaryDirectory, privateFile } from './testing/agent-process.ts';
import { callTask, plainTask, refusal, TestPlatform, TOKEN } from './testing/test-platform.ts';

const method = testMethod({ type: 'none' });
const connector = testConnector({ slug: 'onprem-http', kind: 'OPA', authenticationMethods: [method] });
const tool = { ...testTool({ type: 'handler', handler: 'sendRequest' }), toolSlug: 'onprem-http-request' };

function httpCall(url: string, members: Partial<AgentCall> = {}): AgentCall {
  return { connector, method, tool, fields: { url }, filters: [], sorts: [], ...members };
}

/** A server inside the network; `hold` delays responses until they are released. */
async function intranet() {
  const requests: string[] = [];
  const gate = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    void (request.url?.startsWith('/held') === true ? gate.promise : Promise.resolve()).then(() =>
      response.end('"ok"'),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The server listens on a port.
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    release: gate.resolve,
  };
}

/** The poll that the agent sends after the open one returned nothing. */
function nextPoll(platform: TestPlatform) {
  const open = platform.openPoll;
  platform.endPoll();
  return open;
}

async function start(o: Parameters<typeof startAgentProcess>[1] = {}) {
  const platform = new TestPlatform();
  const agent = startAgentProcess(await platform.listen(), o);
  return { platform, agent };
}

describe('an agent’s process', () => {
  test('says hello, runs calls in free slots, and says goodbye when it is told to end', async () => {
    const { platform, agent } = await start();
    const site = await intranet();
    platform.send(...['a', 'b', 'c'].map((id) => callTask(id, httpCall(`${site.url}/held/${id}`))));
    await expect.poll(() => site.requests.length).toBe(2);
    await expect.poll(() => platform.openPoll).toEqual({ freeSlots: 0, taskIds: ['a', 'b'] });
    expect(platform.hellos).toEqual([{ version: '0.1.0', platform: 'linux-x64', profiles: [] }]);
    site.release();
    await expect.poll(() => platform.results.length).toBe(3);
    expect(platform.outcome('a')).toMatchObject({ isSuccess: true, output: { status: 200, body: 'ok' } });
    expect(platform.headers.every((headers) => headers['user-agent'] === 'fairlead-agent/0.1.0')).toBe(true);
    await expect.poll(() => nextPoll(platform)).toEqual({ freeSlots: 2, taskIds: [] });
    agent.kill('SIGTERM');
    expect(await agent.ended()).toBe(0);
    expect(platform.goodbyes).toBe(1);
    expect(agent.text()).not.toContain(TOKEN);
  });

  test('asks before it runs a task with effects, and runs nothing that it may not begin', async () => {
    const { platform } = await start();
    const site = await intranet();
    platform.send(callTask('a', httpCall(`${site.url}/a`), { hasEffects: true }));
    await expect.poll(() => platform.results.length).toBe(1);
    expect(platform.starts).toEqual(['a']);
    platform.mayStart = false;
    platform.send(callTask('b', httpCall(`${site.url}/b`), { hasEffects: true }));
    await expect.poll(() => platform.starts).toEqual(['a', 'b']);
    await expect.poll(() => nextPoll(platform)).toEqual({ freeSlots: 2, taskIds: [] });
    expect(site.requests).toEqual(['/a']);
  });

  test('runs a task once, however often it is sent, and gives it up when it is cancelled', async () => {
    const { platform } = await start();
    const site = await intranet();
    const task = callTask('a', httpCall(`${site.url}/held`));
    platform.send(task);
    await expect.poll(() => site.requests.length).toBe(1);
    platform.send(task, plainTask('marker', 'settings', { settings: platform.settings }));
    await expect.poll(() => platform.outcome('marker')).toEqual({ isSuccess: true });
    platform.cancel('a', 'unknown');
    await expect.poll(() => nextPoll(platform)).toEqual({ freeSlots: 2, taskIds: [] });
    expect(site.requests).toEqual(['/held']);
    expect(platform.results.map(({ id }) => id)).toEqual(['marker']);
  });

  test('delivers a result once the platform answers again, and loses no task on the way', async () => {
    const { platform, agent } = await start();
    const site = await intranet();
    let refusals = 0;
    platform.override = (path) => (path.endsWith('/result') && refusals++ < 2 ? { status: 503 } : undefined);
    platform.send(callTask('a', httpCall(site.url)));
    await expect.poll(() => platform.results.length).toBe(1);
    expect(refusals).toBe(3);
    // A proxy's error page does not count as the platform's refusal.
    let pages = 0;
    platform.override = (path) =>
      path === '/poll' && pages++ < 2 ? { status: 401, body: '<html>' } : undefined;
    platform.endPoll();
    await expect.poll(() => pages).toBeGreaterThan(2);
    platform.send(callTask('b', httpCall(site.url)));
    await expect.poll(() => platform.outcome('b')).toMatchObject({ isSuccess: true });
    expect(agent.text().match(/cannot be reached/g)?.length).toBeGreaterThan(0);
  });

  test('says that a result was refused, in its place', async () => {
    const { platform } = await start();
    const site = await intranet();
    let refusals = 0;
    platform.override = (path) =>
      path.endsWith('/result') && refusals++ === 0
        ? { status: 413, body: refusal('PAYLOAD_TOO_LARGE') }
        : undefined;
    platform.send(callTask('a', httpCall(site.url)));
    await expect.poll(() => platform.outcome('a')).toMatchObject({ isSuccess: false, attempts: 1 });
    expect(JSON.stringify(platform.outcome('a'))).toContain('was executed');
  });

  test.each([
    [77, 401, 'UNAUTHORIZED'],
    [78, 409, 'AGENT_REPLACED'],
  ])('ends with %i after %i %s', async (code, status, errorCode) => {
    const { platform, agent } = await start();
    await expect.poll(() => platform.openPoll).toBeDefined();
    platform.override = () => ({ status, body: refusal(errorCode) });
    platform.endPoll();
    expect(await agent.ended()).toBe(code);
    expect(platform.goodbyes).toBe(0);
  });

  test('applies settings while it runs: slots and the level of its log', async () => {
    const { platform, agent } = await start();
    const site = await intranet();
    platform.send(callTask('first', httpCall(site.url)));
    await expect.poll(() => platform.outcome('first')).toMatchObject({ isSuccess: true });
    platform.settings = { parallelTasks: 5, pullPeriodSeconds: 10, logLevel: 'Error' };
    platform.send(plainTask('s', 'settings', { settings: platform.settings }));
    await expect.poll(() => platform.outcome('s')).toEqual({ isSuccess: true });
    await expect.poll(() => platform.openPoll?.freeSlots).toBe(5);
    const before = agent.text();
    expect(before).toContain('"msg":"task taken"');
    platform.send(callTask('a', httpCall(site.url)));
    await expect.poll(() => platform.results.length).toBe(3);
    agent.kill('SIGTERM');
    await agent.ended();
    expect(agent.text()).toBe(before);
  });

  test('sends its logs as an archive without a secret in them, and names kinds that it does not know', async () => {
    const directory = temporaryDirectory();
    const key = privateFile(directory, 'key', 'correct-horse-battery\n');
    const { platform } = await start({
      config: `profiles:\n  api: { type: http, baseUrl: 'http://127.0.0.1:1', headers: { x-key: { file: ${key} } } }\n`,
      env: { DB_PASSWORD: 'staple' },
    });
    // The log has the address, as the reason of the failed call.
    platform.send(callTask('a', httpCall('http://correct-horse-battery.invalid/')));
    await expect.poll(() => platform.results.length).toBe(1);
    platform.send(plainTask('logs', 'logs'), plainTask('later', 'later'));
    await expect.poll(() => platform.results.length).toBe(3);
    expect(platform.outcome('later')).toMatchObject({ isSuccess: false });
    expect(platform.hellos[0]?.profiles).toEqual([{ name: 'api', type: 'http' }]);
    const archive = platform.results.find(({ id }) => id === 'logs');
    expect(archive?.type).toBe('application/zip');
    const log = firstFile(archive?.body ?? Buffer.alloc(0));
    expect(log).toContain('"msg":"agent is ready"');
    for (const secret of ['correct-horse-battery', TOKEN]) expect(log).not.toContain(secret);
  });

  test('lets running calls end before it ends, and takes no other', async () => {
    const { platform, agent } = await start();
    const site = await intranet();
    platform.send(callTask('a', httpCall(`${site.url}/held`)));
    await expect.poll(() => site.requests.length).toBe(1);
    agent.kill('SIGTERM');
    await expect.poll(() => platform.openPoll).toEqual({ freeSlots: 0, taskIds: ['a'] });
    platform.send(callTask('b', httpCall(site.url)));
    site.release();
    expect(await agent.ended()).toBe(0);
    expect(platform.results.map(({ id }) => id)).toEqual(['a']);
    expect(platform.goodbyes).toBe(1);
  });

  test('says goodbye, too, if it is told to end before its hello has an answer', async () => {
    const platform = new TestPlatform();
    platform.answersHello = false;
    const agent = startAgentProcess(await platform.listen());
    await expect.poll(() => platform.hellos.length).toBe(1);
    agent.kill('SIGTERM');
    expect(await agent.ended()).toBe(0);
    expect(platform.goodbyes).toBe(1);
  });

  test('shows no token among its arguments', async () => {
    const { platform, agent } = await start();
    await expect.poll(() => platform.openPoll).toBeDefined();
    const shown =
      readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8') + readFileSync(`/proc/${agent.pid}/environ`, 'utf8');
    expect(shown).not.toContain(TOKEN);
    const other = startAgentProcess(await platform.listen(), { args: ['--token', TOKEN] });
    await expect.poll(() => other.text()).toContain('other users of this machine can see');
  });
});

/** The content of an archive's first file. */
function firstFile(archive: Buffer): string {
  const start = 30 + archive.readUInt16LE(26) + archive.readUInt16LE(28);
  return inflateRawSync(archive.subarray(start)).toString();
}
