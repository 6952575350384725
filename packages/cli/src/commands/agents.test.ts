import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';

const { call, sent } = accountApi();

const AT = '2026-11-29T10:11:12.000Z';
const AGENT = {
  id: 7,
  name: 'Lab',
  applicationSlug: 'onprem-database',
  status: 'Online',
  settings: { parallelTasks: 10, pullPeriodSeconds: 10, logLevel: 'Information' },
  agentVersion: '1.0.0',
  platform: 'linux-x64',
  lastSeenAt: AT,
  createdAt: AT,
};
const TOKEN = 'opa_secret';
/** An empty archive, which consists only of the end record. */
const ARCHIVE = Buffer.concat([Buffer.from([0x50, 0x4b, 0x05, 0x06]), Buffer.alloc(18)]);

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fairlead-agents-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

it('agents list and get show status and settings', async () => {
  const page = { items: [AGENT, { ...AGENT, id: 6, status: 'Offline' }], totalCount: 2, offset: 0, top: 100 };
  const { out } = await call(['agents', 'list'], { status: 200, body: page });
  expect(out).toMatch(/7 +Lab +onprem-database +Online +1\.0\.0 +linux-x64 +2026-11-29 10:11Z\n6 .* Offline/);
  const one = await call(['agents', 'get', '7'], { status: 200, body: AGENT });
  expect(one.out).toMatch(/^Parallel tasks +10$/m);
  expect(sent()).toEqual([{ line: 'GET /v1/on-prem-agents/7', body: undefined }]);
});

it.each([
  [[], {}],
  [
    ['--parallel-tasks', '3', '--pull-period', '20', '--log-level', 'Debug'],
    { parallelTasks: 3, pullPeriodSeconds: 20, logLevel: 'Debug' },
  ],
])('agents create with %j sends these settings and shows the token', async (options, settings) => {
  const argv = ['agents', 'create', 'onprem-database', '--name', 'Lab', ...options];
  const { code, out } = await call(argv, { status: 201, body: { ...AGENT, token: TOKEN } });
  expect(code).toBe(0);
  expect(out).toMatch(/^Token +opa_secret$/m);
  const body = { applicationSlug: 'onprem-database', name: 'Lab', settings };
  expect(sent()).toEqual([{ line: 'POST /v1/on-prem-agents', body }]);
});

it('agents update sends what is to change, and says whether the agent has it', async () => {
  for (const [appliedToAgent, text] of [
    [true, 'The agent has them.'],
    [false, 'when it connects'],
  ] as const) {
    const body = { appliedToAgent, dispatchedTaskIds: [] };
    const { out } = await call(['agents', 'update', '7', '--log-level', 'Error'], { status: 200, body });
    expect(out).toContain(text);
    expect(sent()).toEqual([
      { line: 'PATCH /v1/on-prem-agents/7', body: { settings: { logLevel: 'Error' } } },
    ]);
  }
});

it.each([
  ['no name', ['create', 'onprem-http']],
  ['an id that is none', ['get', 'lab']],
  ['nothing to change', ['update', '7']],
  ['an unknown level', ['update', '7', '--log-level', 'Loud']],
  ['a number that is none', ['update', '7', '--parallel-tasks', '0']],
  ['no file for the logs', ['logs', '7']],
])('%s is a wrong call', async (_, argv) => {
  expect((await call(['agents', ...argv], { status: 200, body: AGENT })).code).toBe(2);
  expect(sent()).toEqual([]);
});

describe('the token', () => {
  it('is shown, or written to a file that only its owner may read', async () => {
    const shown = await call(['agents', 'token', '7'], { status: 200, body: { token: TOKEN } });
    expect(shown.out).toMatch(/^Token +opa_secret$/m);
    const argv = ['agents', 'token', '7', '--token-file', 'token', '--json'];
    const { code, out, err } = await call(argv, { status: 200, body: { token: TOKEN } }, { cwd });
    expect(code).toBe(0);
    expect(out + err).not.toContain(TOKEN);
    expect(await readFile(join(cwd, 'token'), 'utf8')).toBe(TOKEN);
    expect((await stat(join(cwd, 'token'))).mode & 0o777).toBe(0o600);
  });

  it('is replaced after a confirmation', async () => {
    const argv = ['agents', 'rotate', '7', '--token-file', 'token', '--force'];
    await writeFile(join(cwd, 'token'), 'former');
    const reply = { status: 200, body: { token: TOKEN } };
    expect((await call(argv, reply, { cwd })).code).toBe(2);
    expect(sent()).toEqual([]);
    expect((await call([...argv, '--yes'], reply, { cwd })).code).toBe(0);
    expect(sent()).toEqual([{ line: 'POST /v1/on-prem-agents/7/token?confirm=true', body: undefined }]);
    expect(await readFile(join(cwd, 'token'), 'utf8')).toBe(TOKEN);
  });
});

describe('agents logs', () => {
  const argv = ['agents', 'logs', '7', '--file', 'logs.zip'];

  it('writes the archive', async () => {
    const { code, out } = await call(argv, () => (response) => response.end(ARCHIVE), { cwd });
    expect([code, out]).toEqual([0, `Wrote ${join(cwd, 'logs.zip')} (${ARCHIVE.length} bytes).\n`]);
    expect(await readFile(join(cwd, 'logs.zip'))).toEqual(ARCHIVE);
    expect(sent()).toEqual([{ line: 'GET /v1/on-prem-agents/7/logs', body: undefined }]);
  });

  it('writes nothing of an archive that ends early', async () => {
    const short = ARCHIVE.subarray(0, -1);
    const { code, err } = await call(argv, () => (response) => response.end(short), { cwd });
    expect(code).toBe(5);
    expect(err).toContain('ended early');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('says why there are none', async () => {
    const body = { errorCode: 'OPA_AGENT_OFFLINE', message: 'The agent is Offline.' };
    const { code, err } = await call(argv, { status: 409, body }, { cwd });
    expect(code).not.toBe(0);
    expect(err).toContain('The agent is Offline.');
    expect(await readdir(cwd)).toEqual([]);
  });
});

it('agents delete asks a person to confirm', async () => {
  expect((await call(['agents', 'delete', '7'], { status: 204 })).code).toBe(2);
  expect(sent()).toEqual([]);
  const { out } = await call(['agents', 'delete', '7', '--yes', '--force'], { status: 204 });
  expect(out).toBe('Deleted on-prem agent 7.\n');
  expect(sent()).toEqual([{ line: 'DELETE /v1/on-prem-agents/7?force=true', body: undefined }]);
});
