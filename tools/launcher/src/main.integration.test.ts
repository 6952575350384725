import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitForPort } from '@fairlead/local-stores/ports';
import { runCommand } from '@fairlead/local-stores/run-command';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_PORT } from './arguments.ts';
import type { DevFile } from './dev-file.ts';
import { isAlive } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

const START_TIMEOUT_MS = 300_000;
const PATIENCE = { timeout: 90_000, interval: 50 };
const STARTING_AGAIN = 'Another program took a port of this start; starting again';

interface Launcher {
  readonly process: ChildProcess;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
  output(): string;
}

function launcher(...args: string[]): Launcher {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { CATALOGUE_SOURCES: 'none', ...process.env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  // The launcher's exit event has these two; Node types events loosely.
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return { process: child, exited, output: () => output };
}

/** Starts a stack and waits for its last line of output. */
async function startStack(data: string): Promise<Launcher> {
  const started = launcher('--data', data);
  await Promise.race([
    vi.waitUntil(() => started.output().includes('Ctrl-C stops everything'), { timeout: START_TIMEOUT_MS }),
    started.exited.then(() => {
      throw new Error(`the stack did not start:\n${started.output()}`);
    }),
  ]);
  return started;
}

/** The port that the launcher has chosen for a listener, once it has. */
async function plannedPort(data: string, listener: string): Promise<number> {
  const read = async (): Promise<string | false> =>
    readFile(join(data, 'ports.json'), 'utf8').catch(() => false);
  const plan = JSON.parse(await vi.waitUntil(read, PATIENCE)) as Record<string, number>; // port-plan.test.ts checks it
  const port = plan[listener];
  if (port === undefined) throw new Error(`${listener} has no port`);
  return port;
}

async function occupy(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function readRecord(data: string): Promise<readonly ProcessIdentity[]> {
  // Written by the launcher under test; instance.test.ts checks its shape.
  const record = JSON.parse(await readFile(join(data, 'instance.json'), 'utf8')) as {
    children: ProcessIdentity[];
  };
  return record.children;
}

async function noneAlive(processes: readonly ProcessIdentity[]): Promise<boolean> {
  return !(await Promise.all(processes.map(isAlive))).includes(true);
}

/** Process id of the part with this text in its command line, among the children recorded by the launcher. */
async function pidOf(text: string, data: string): Promise<number> {
  for (const { pid } of await readRecord(data)) {
    const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.includes(text)) return pid;
  }
  throw new Error(`${text} does not run`);
}

describe('a started stack', () => {
  let data: string;
  let stack: Launcher;
  let dev: DevFile;

  let taken: Server;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'fairlead-test-launcher-'));
    // During the start, another program takes a chosen port.
    const starting = startStack(data);
    taken = await occupy(await plannedPort(data, 'toolsAdmin'));
    stack = await starting;
    dev = JSON.parse(await readFile(join(data, 'dev.json'), 'utf8')) as DevFile; // dev-file.test.ts checks its shape
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    taken.close();
    stack.process.kill('SIGKILL');
    await stack.exited;
    await rm(data, { recursive: true, force: true });
  });

  test('started although another program took one of its ports meanwhile', async () => {
    expect(stack.output()).toContain(STARTING_AGAIN);
    expect(await plannedPort(data, 'toolsAdmin')).not.toBe((taken.address() as AddressInfo).port); // it listens on TCP
  });

  test('[completion.npm-start.2, completion.npm-start.3] is described in dev.json, which only its owner can read, and its addresses respond', async () => {
    expect((await stat(join(data, 'dev.json'))).mode & 0o777).toBe(0o600);
    expect(dev.pid).toBe(stack.process.pid);
    for (const url of [dev.openapiUrl, dev.docsUrl, `${dev.sandboxCrm.url}/healthz`]) {
      expect((await fetch(url)).status).toBe(200);
    }
    expect(Object.keys(dev.services)).toEqual(SERVICE_NAMES);
    expect(dev.samples.postgresUrl).toMatch(/^postgresql:/);
    expect(dev.natsUrl).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
  });

  test('[completion.npm-start.1] is at port 8080, or says that it is in use and takes the next free one', () => {
    const [, next = String(DEFAULT_PORT)] =
      /^Port 8080 is in use, taking (\d+)$/m.exec(stack.output().split(STARTING_AGAIN).at(-1) ?? '') ?? [];
    expect(dev.baseUrl).toBe(`http://127.0.0.1:${next}`);
    expect(DEFAULT_PORT).toBe(8_080);
  });

  test('[completion.npm-start.5] names in dev.json all that runs, each at an address that takes connections', async () => {
    const { baseUrl, mcpUrl, openapiUrl, docsUrl, mongodbUri, natsUrl, operatorKey, services } = dev;
    expect(mcpUrl).toBe(`${baseUrl}/mcp`);
    expect(openapiUrl).toBe(`${baseUrl}/openapi.json`);
    expect(docsUrl).toBe(`${baseUrl}/docs`);
    const accounts = await fetch(`${baseUrl}/operator/v1/accounts`, {
      headers: { 'x-api-key': operatorKey },
    });
    expect(accounts.status).toBe(200);
    for (const uri of [mongodbUri, natsUrl, ...Object.values(services)]) {
      const port = Number(new URL(uri).port);
      await expect(waitForPort(port, AbortSignal.timeout(90_000)), uri).resolves.toBeUndefined();
    }
  });

  test('prints curl commands that work when pasted', async () => {
    const lines = stack
      .output()
      .split('\n')
      .filter((line) => line.startsWith('  curl '));
    expect(lines).toHaveLength(4);
    const answers: unknown[] = [];
    for (const line of lines) answers.push(JSON.parse((await runCommand('bash', ['-c', line])).stdout));
    expect(answers).toMatchObject([
      { accountId: dev.account.accountId },
      { items: expect.any(Array) as unknown },
      { applicationSlug: 'sandbox-crm' },
      { isSuccess: true },
    ]);
  });

  test('is the only one on its data folder', async () => {
    const second = launcher('--port', '0', '--data', data);
    expect(await second.exited).toEqual([1, null]);
    expect(second.output()).toContain(`process ${String(dev.pid)} already runs on this data folder`);
    expect((await fetch(dev.docsUrl)).status).toBe(200);
  });

  test('refuses a wanted port that is in use with one line', async () => {
    const other = await mkdtemp(join(tmpdir(), 'fairlead-test-launcher-'));
    onTestFinished(() => rm(other, { recursive: true }));
    const port = new URL(dev.baseUrl).port;
    const second = launcher('--port', port, '--data', other);
    expect(await second.exited).toEqual([1, null]);
    expect(second.output()).toContain(`fairlead: port ${port} is in use`);
  });

  test.runIf(process.platform === 'linux')('restarts a killed service at the same address', async () => {
    process.kill(await pidOf('services/tools/src/main.ts', data), 'SIGKILL');
    await vi.waitUntil(() => stack.output().includes('tools is running again'), PATIENCE);
    expect(stack.output()).toMatch(/^tools ended \(SIGKILL\), restarting it; log: .*tools\.log$/m);
    const answer = await fetch(`${dev.baseUrl}/v1/tools/sandbox-crm-whoami/execute`, {
      method: 'POST',
      headers: { 'x-api-key': dev.account.apiKey, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
  });

  test.runIf(process.platform === 'linux')(
    'restarts a killed nats-server at the same address, and calls succeed all the while',
    async () => {
      const whoami = async (): Promise<number> =>
        (await fetch(`${dev.baseUrl}/v1/auth/whoami`, { headers: { 'x-api-key': dev.account.apiKey } }))
          .status;
      process.kill(await pidOf('nats-server', data), 'SIGKILL');
      const statuses = new Set<number>();
      await vi.waitUntil(async () => {
        statuses.add(await whoami());
        return stack.output().includes('nats-server is running again');
      }, PATIENCE);
      expect([...statuses]).toEqual([200]);
      await expect(
        waitForPort(Number(new URL(dev.natsUrl).port), AbortSignal.timeout(90_000)),
      ).resolves.toBeUndefined();
    },
  );

  test.runIf(process.platform === 'linux')(
    'leaves no process behind when its launcher is killed, and starts again on the same data',
    { timeout: START_TIMEOUT_MS },
    async () => {
      const children = await readRecord(data);
      stack.process.kill('SIGKILL');
      // Slow, because the stores end, too, and a gateway retries its database several times before it gives up.
      await vi.waitUntil(() => noneAlive(children), { ...PATIENCE, timeout: 90_000 });
      stack = await startStack(data);
      const again = JSON.parse(await readFile(join(data, 'dev.json'), 'utf8')) as DevFile; // dev-file.test.ts checks its shape
      expect(again.account).toEqual(dev.account);
      expect(again.services).toEqual(dev.services);
    },
  );

  test('[completion.npm-start.4] stops in order even if its output is no longer read: exit code 0, no process, no dev.json', async () => {
    const children = await readRecord(data);
    stack.process.stdout?.destroy();
    stack.process.stderr?.destroy();
    stack.process.kill('SIGTERM');
    expect(await stack.exited).toEqual([0, null]);
    expect(await noneAlive(children)).toBe(true);
    await expect(access(join(data, 'dev.json'))).rejects.toThrow('ENOENT');
    await expect(access(join(data, 'instance.json'))).rejects.toThrow('ENOENT');
  });
});

test('a data folder that cannot be used is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-launcher-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'file');
  await writeFile(file, '');
  const refused = launcher('--port', '0', '--data', file);
  expect(await refused.exited).toEqual([1, null]);
  expect(refused.output()).toContain(`fairlead: the data folder ${file} cannot be used (ENOTDIR`);
});

test('--help explains and starts nothing', async () => {
  const help = launcher('--help');
  expect(await help.exited).toEqual([0, null]);
  expect(help.output()).toContain('Usage: npm start -- [options]');
});
