import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { refusal, startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach, expect, it } from 'vitest';
import { startInstallation } from '../testing/installation.ts';
import type { Routes } from '../testing/installation.ts';
import { invoke } from '../testing/invoke.ts';
import type { InvokeOptions } from '../testing/invoke.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const WHOAMI = { accountName: 'Acme', userEmail: 'ada@example.com', credentialType: 'apiKey' };
const BUDGETS = {
  'ratelimit-policy': '"burst";q=50;w=1, "hourly";q=20000;w=3600',
  ratelimit: '"burst";r=49;t=1, "hourly";r=19999;t=60',
};

/** A healthy installation, except for the responses of `change`. */
const healthy =
  (change: (request: ReceivedRequest) => Reply | undefined = () => undefined): Routes =>
  (request) =>
    change(request) ?? answers()[request.path];

const answers = (): Record<string, Reply> => ({
  '/healthz': { status: 200, body: {} },
  '/readyz': { status: 200, body: {} },
  '/openapi.json': { status: 200, body: { info: { title: 'Fairlead API', version: 'v1' } } },
  '/v1/auth/whoami': { status: 200, headers: BUDGETS, body: WHOAMI },
  '/operator/v1/accounts?top=1': { status: 200, body: {} },
});

interface Check {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly hint?: string;
}

async function doctor(
  routes: Routes,
  options: InvokeOptions = {},
): Promise<{ code: number; checks: Check[] }> {
  server = await startInstallation(routes);
  const environment = {
    FAIRLEAD_URL: server.url,
    FAIRLEAD_API_KEY: 'fairlead_k',
    FAIRLEAD_CONFIG_DIR: '/nowhere',
    ...options.environment,
  };
  const { code, out } = await invoke(['doctor', '--json'], { ...options, environment });
  const report = JSON.parse(out) as { isHealthy: boolean; checks: Check[] };
  expect(report.isHealthy).toBe(code === 0);
  return { code, checks: report.checks };
}

const statusOf = (checks: Check[], name: string): string | undefined =>
  checks.find(({ check }) => check === name)?.status;

it('a healthy installation has nothing to complain of', async () => {
  const environment = { FAIRLEAD_OPERATOR_KEY: 'operator' };
  const { code, checks } = await doctor(healthy(), { environment });
  expect(code).toBe(0);
  expect(checks.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'reachable ok',
    'transport ok',
    'ready ok',
    'version ok',
    'clock ok',
    'authorization ok',
    'credential ok',
    'budget ok',
    'operator ok',
  ]);
});

it('if nothing responds, it reports that once and stops', async () => {
  const environment = { FAIRLEAD_URL: 'http://127.0.0.1:1', FAIRLEAD_API_KEY: 'k' };
  const { code, out, err } = await invoke(['doctor'], { environment });
  expect(code).toBe(1);
  expect(out).toMatch(/^fail {2}reachable {7}http:\/\/127\.0\.0\.1:1: .+\n {22}Is the address right/);
  expect(out.match(/^(?:ok|warn|fail)/gm)).toHaveLength(1);
  expect(err).toBe('fairlead: One check failed.\n');
});

const at = (path: string, reply: Reply): Routes =>
  healthy((request) => (request.path === path ? reply : undefined));

it.each<[string, string, string, Routes]>([
  ['ready', 'fail', 'a part is down', at('/readyz', { status: 503 })],
  ['version', 'fail', 'it is something else', at('/openapi.json', { status: 404 })],
  [
    'version',
    'warn',
    'it is newer',
    at('/openapi.json', { status: 200, body: { info: { title: 'F', version: 'v2' } } }),
  ],
  [
    'clock',
    'fail',
    'the clocks are an hour apart',
    at('/healthz', {
      status: 200,
      headers: { date: new Date(Date.now() - 3_600_000).toUTCString() },
    }),
  ],
  ['credential', 'fail', 'the key is revoked', at('/v1/auth/whoami', refusal(401, 'UNAUTHORIZED'))],
  [
    'credential',
    'fail',
    'the user is inactive',
    at('/v1/auth/whoami', refusal(403, 'ACCOUNT_USER_INACTIVE')),
  ],
  [
    'budget',
    'warn',
    'few calls are left',
    at('/v1/auth/whoami', {
      status: 200,
      headers: { ...BUDGETS, ratelimit: '"burst";r=49;t=1, "hourly";r=1999;t=60' },
      body: WHOAMI,
    }),
  ],
])('%s: %s where %s', async (check, status, _, routes) => {
  const { code, checks } = await doctor(routes);
  const finding = checks.find((it) => it.check === check);
  expect(finding?.status).toBe(status);
  expect(finding?.hint).not.toBe('');
  expect(code).toBe(status === 'fail' ? 1 : 0);
});

it('metadata that names another address fails: clients would refuse it', async () => {
  const inner = await startInstallation(healthy());
  // A second address of the same installation, as behind a proxy that PUBLIC_URL does not name.
  server = await startApiServer(async ({ path }) => {
    const response = await fetch(inner.url + path);
    return { status: response.status, body: await response.json() };
  });
  const environment = { FAIRLEAD_URL: server.url, FAIRLEAD_API_KEY: 'k' };
  const { code, out } = await invoke(['doctor', '--json'], { environment });
  const { checks } = JSON.parse(out) as { checks: Check[] };
  expect(code).toBe(1);
  expect(checks.find(({ check }) => check === 'authorization')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining(inner.url) as string,
  });
  await inner.close();
});

it('no credential is a warning; a refused operator key a failure', async () => {
  const routes = at('/operator/v1/accounts?top=1', refusal(401, 'UNAUTHORIZED'));
  const environment = { FAIRLEAD_API_KEY: '', FAIRLEAD_OPERATOR_KEY: 'wrong' };
  const { code, checks } = await doctor(routes, { environment });
  expect([statusOf(checks, 'credential'), statusOf(checks, 'operator'), code]).toEqual(['warn', 'fail', 1]);
});

it('files with secrets that others can read fail', async () => {
  const folder = await temporaryFolder();
  const config = join(folder, 'config');
  await mkdir(config);
  await writeFile(join(config, 'sessions.json'), '{"version":1,"current":null,"sessions":{}}', {
    mode: 0o600,
  });
  const environment = { FAIRLEAD_CONFIG_DIR: config };
  const before = await doctor(healthy(), { environment });
  expect(statusOf(before.checks, 'sign-ins')).toBe('ok');
  await server?.close();
  await chmod(join(config, 'sessions.json'), 0o644);
  const after = await doctor(healthy(), { environment });
  expect([statusOf(after.checks, 'sign-ins'), after.code]).toEqual(['fail', 1]);
});

it('a development instance is recognised by its address, and whether it runs', async () => {
  const data = await temporaryFolder();
  const instance = async (pid: number): Promise<string | undefined> => {
    const dev = {
      baseUrl: server?.url,
      pid,
      account: { accountId: 'acc_1' },
      grpc: { catalog: 'http://127.0.0.1:1' },
    };
    await writeFile(join(data, 'dev.json'), JSON.stringify(dev), { mode: 0o600 });
    const environment = { FAIRLEAD_URL: server?.url ?? '', FAIRLEAD_API_KEY: 'k' };
    const { out } = await invoke(['doctor', '--json'], { environment, data });
    return statusOf((JSON.parse(out) as { checks: Check[] }).checks, 'instance');
  };
  server = await startInstallation(healthy());
  expect(await instance(process.pid)).toBe('ok');
  // Higher than any process id that a system assigns.
  expect(await instance(2 ** 30)).toBe('warn');
});

it('colour goes to terminals only, and NO_COLOR wins', async () => {
  server = await startInstallation(healthy());
  const escape = '\u001B[';
  const environment = { FAIRLEAD_URL: server.url, FAIRLEAD_API_KEY: 'k' };
  const piped = await invoke(['doctor'], { environment });
  const terminal = await invoke(['doctor'], { environment, isTerminal: true });
  const without = await invoke(['doctor'], {
    environment: { ...environment, NO_COLOR: '1' },
    isTerminal: true,
  });
  expect([piped, terminal, without].map(({ out }) => out.includes(escape))).toEqual([false, true, false]);
});
