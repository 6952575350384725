import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { refusal, startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach, describe, expect, it } from 'vitest';
import { invoke } from '../testing/invoke.ts';
import type { CommandResult, InvokeOptions } from '../testing/invoke.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Runs a command against a server that responds with `reply` to everything. */
async function call(
  argv: string[],
  reply: Reply | ((request: ReceivedRequest) => Reply),
  options: InvokeOptions = {},
): Promise<CommandResult> {
  server = await startApiServer((request) =>
    typeof reply === 'function' ? (reply as (request: ReceivedRequest) => Reply)(request) : reply,
  );
  const environment = {
    FAIRLEAD_URL: server.url,
    FAIRLEAD_API_KEY: 'fairlead_account_key',
    FAIRLEAD_OPERATOR_KEY: 'operator-key',
    FAIRLEAD_CONFIG_DIR: '/nowhere',
    ...options.environment,
  };
  return invoke(argv, { ...options, environment });
}

const sent = (): { method: string | undefined; path: string | undefined; body: unknown } => {
  const last = server?.received.at(-1);
  return {
    method: last?.method,
    path: last?.path,
    body: last?.body === '' ? undefined : JSON.parse(last?.body ?? 'null'),
  };
};

const page = (items: unknown[]): Reply => ({
  status: 200,
  body: { items, totalCount: items.length, offset: 0, top: 100 },
});
const USER = {
  userId: 'usr_1',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'owner',
  isActive: true,
  createdAt: '2026-11-21T10:11:12.000Z',
  updatedAt: '2026-11-21T10:11:12.000Z',
};
const KEY = {
  id: 'key_1',
  name: 'CI',
  userId: 'usr_1',
  maskedKey: 'fairlead_abcd…',
  scopes: null,
  toolsetId: null,
  expiresAt: null,
  lastUsedAt: null,
  createdAt: USER.createdAt,
  updatedAt: USER.updatedAt,
};
const ACCOUNT = {
  accountId: 'acc_1',
  name: 'Acme',
  isRbacEnabled: false,
  defaultLicence: 'active',
  budgets: {
    burstPerSecond: 50,
    hourly: 20_000,
    searchPerSecond: 5,
    searchPerHour: 1000,
    triggerTestPerMinute: 10,
    hookPerSecond: 100,
  },
  createdAt: USER.createdAt,
  updatedAt: USER.updatedAt,
  erasingAt: null,
};

describe('users', () => {
  it('list shows a table to people and the API’s records to scripts', async () => {
    const other = { ...USER, userId: 'usr_22', name: 'Grace \u001B[31mHopper', isActive: false };
    const { code, out } = await call(['users', 'list'], page([USER, other]));
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'USER    E-MAIL           NAME          ROLE   ACTIVE  CREATED',
      'usr_1   ada@example.com  Ada           owner  yes     2026-11-21 10:11Z',
      'usr_22  ada@example.com  Grace Hopper  owner  no      2026-11-21 10:11Z',
      '',
    ]);
    await server?.close();
    const { out: json } = await call(['users', 'list', '--json'], page([USER, other]));
    expect(JSON.parse(json)).toEqual([USER, other]);
  });

  it('create sends the given values; a piped password is the first line', async () => {
    const argv = ['users', 'create', '--email', 'ada@example.com', '--role', 'owner', '--password-stdin'];
    const password = 'correct horse battery';
    const result = await call(argv, { status: 201, body: USER }, { input: { piped: `${password}\nmore\n` } });
    expect(result.code).toBe(0);
    expect(sent()).toEqual({
      method: 'POST',
      path: '/admin/v1/users',
      body: { email: 'ada@example.com', role: 'owner', password },
    });
    expect(result.out + result.err).not.toContain(password);
  });

  it('a typed password is prompted for twice and never shown', async () => {
    const argv = ['users', 'update', 'usr_1', '--password'];
    const typed = 'wrong\u007F\u007F\u007F\u007F\u007Fcorrect horse\rcorrect horse\r';
    const result = await call(argv, { status: 200, body: USER }, { input: { typed } });
    expect(sent()).toEqual({
      method: 'PATCH',
      path: '/admin/v1/users/usr_1',
      body: { password: 'correct horse' },
    });
    expect(result.err).toBe('Password: \nRepeat the password: \n');
    expect(result.out).not.toContain('correct');
  });

  it.each([
    ['differ', { typed: 'one\rtwo\r' }, 2],
    ['is empty', { typed: '\r' }, 2],
    ['Interrupted', { typed: 'abc\u0003' }, 130],
    ['use --password-stdin', { piped: '' }, 2],
    ['Lines were pasted together with this command', { pasted: 'fairlead keys list\n' }, 2],
  ])('no request where the password %s', async (text, input, code) => {
    const result = await call(
      ['users', 'update', 'usr_1', '--password'],
      { status: 200, body: USER },
      { input },
    );
    expect(result).toMatchObject({ code, err: expect.stringContaining(text) as string });
    expect(server?.received).toEqual([]);
  });

  it('--active and --no-active switch; nothing to change is a wrong call', async () => {
    await call(['users', 'update', 'usr_1', '--no-active'], { status: 200, body: USER });
    expect(sent().body).toEqual({ isActive: false });
    await server?.close();
    await call(['users', 'update', 'usr_1', '--active'], { status: 200, body: USER });
    expect(sent().body).toEqual({ isActive: true });
    await server?.close();
    expect((await call(['users', 'update', 'usr_1'], { status: 200, body: USER })).code).toBe(2);
    expect(server?.received).toEqual([]);
  });
});

describe('keys', () => {
  it('create prints the key on stdout, the advice on stderr', async () => {
    const argv = ['keys', 'create', '--name', 'CI', '--expires', '90d'];
    const now = (): Date => new Date('2026-11-21T00:00:00.000Z');
    const result = await call(argv, { status: 201, body: { ...KEY, apiKey: 'fairlead_secret' } }, { now });
    expect(sent().body).toEqual({ name: 'CI', expiresAt: '2027-02-19T00:00:00.000Z' });
    expect(result.out).toContain('fairlead_secret');
    expect(result.err).toBe('Store the key now: it is not shown again.\n');
  });

  it('create restricts the key to scopes and a toolset, and shows them', async () => {
    const argv = [
      'keys',
      'create',
      '--name',
      'Agent',
      '--scopes',
      'tools.read, tools.execute',
      '--toolset',
      't-1',
    ];
    const restricted = { scopes: ['tools.read', 'tools.execute'], toolsetId: 't-1' };
    const reply = { status: 201, body: { ...KEY, ...restricted, apiKey: 'fairlead_secret' } };
    const result = await call(argv, reply);
    expect(sent().body).toEqual({ name: 'Agent', ...restricted });
    expect(result.out).toContain('tools.read, tools.execute');
    expect(result.out).toContain('t-1');
    await server?.close();
    expect((await call(['keys', 'create', '--name', 'Agent', '--scopes', 'tools.read,'], reply)).code).toBe(
      2,
    );
    expect(server?.received).toEqual([]);
  });

  it.each(['tomorrow', '90', '2026-13-40'])('--expires %s is a wrong call', async (when) => {
    const result = await call(['keys', 'create', '--name', 'CI', '--expires', when], page([]));
    expect(result.code).toBe(2);
    expect(server?.received).toEqual([]);
  });

  it('revoke asks a person to confirm, requires --yes in a script, and does nothing otherwise', async () => {
    const argv = ['keys', 'revoke', 'key_1'];
    const script = await call(argv, { status: 204 });
    expect(script).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') as string });
    expect(server?.received).toEqual([]);
    await server?.close();
    const unsure = await call(argv, { status: 204 }, { input: { typed: 'no\n' } });
    expect(unsure).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was done') as string });
    expect(server?.received).toEqual([]);
    await server?.close();
    const sure = await call(argv, { status: 204 }, { input: { typed: 'revoke\n' } });
    expect(sure).toMatchObject({ code: 0, out: 'Revoked key_1.\n' });
    await server?.close();
    await call([...argv, '--yes'], { status: 204 });
    expect(sent()).toMatchObject({ method: 'DELETE', path: '/admin/v1/api-keys/key_1' });
  });
});

describe('accounts', () => {
  it('go by the operator’s key, never by the account’s', async () => {
    await call(['accounts', 'list'], page([ACCOUNT]));
    expect(server?.received[0]?.headers['x-api-key']).toBe('operator-key');
    await server?.close();
    const environment = { FAIRLEAD_OPERATOR_KEY: '' };
    const without = await call(['accounts', 'list'], page([]), { environment });
    expect(without).toMatchObject({
      code: 3,
      err: expect.stringContaining('FAIRLEAD_OPERATOR_KEY') as string,
    });
    expect(server?.received).toEqual([]);
  });

  it('create sends settings and budgets, and shows the first key', async () => {
    const argv = [
      'accounts create --name Acme --owner-email ada@example.com --rbac on',
      '--budget hourly=100 --budget burstPerSecond=5',
    ].flatMap((words) => words.split(' '));
    const created = {
      ...ACCOUNT,
      owner: { userId: 'usr_1', email: 'ada@example.com' },
      apiKey: 'fairlead_first',
    };
    const { out } = await call(argv, { status: 201, body: created });
    expect(sent().body).toEqual({
      name: 'Acme',
      ownerEmail: 'ada@example.com',
      isRbacEnabled: true,
      budgets: { hourly: 100, burstPerSecond: 5 },
    });
    expect(out).toContain('fairlead_first');
  });

  it.each(['hourly', 'hourly=0', 'hourly=-1', 'nothing=5'])('--budget %s is a wrong call', async (budget) => {
    expect((await call(['accounts', 'update', 'acc_1', '--budget', budget], page([]))).code).toBe(2);
  });

  it('delete names the account, and wants its id typed', async () => {
    const reply = ({ method }: ReceivedRequest): Reply =>
      method === 'GET' ? { status: 200, body: ACCOUNT } : { status: 204 };
    const argv = ['accounts', 'delete', 'acc_1'];
    const unsure = await call(argv, reply, { input: { typed: 'yes\n' } });
    expect(unsure).toMatchObject({ code: 1, err: expect.stringContaining('“Acme”') as string });
    expect(server?.received.map(({ method }) => method)).toEqual(['GET']);
    await server?.close();
    const sure = await call(argv, reply, { input: { typed: 'acc_1\n' } });
    expect(sure.code).toBe(0);
    expect(server?.received.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  });

  describe('export', () => {
    it('writes the complete response to a private file, and never overwrites one', async () => {
      const cwd = await temporaryFolder();
      const argv = ['accounts', 'export', 'acc_1', '--file', 'acme.json'];
      const body = { account: ACCOUNT, users: [USER] };
      const { code, out } = await call(argv, { status: 200, body }, { cwd });
      const file = join(cwd, 'acme.json');
      expect(code).toBe(0);
      expect(out).toContain(file);
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(body);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await server?.close();
      await writeFile(file, 'mine');
      expect((await call(argv, { status: 200, body }, { cwd })).code).toBe(2);
      expect(await readFile(file, 'utf8')).toBe('mine');
      await server?.close();
      expect((await call([...argv, '--force'], { status: 200, body }, { cwd })).code).toBe(0);
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(body);
    });

    it.each([
      [
        'breaks off',
        (): Reply => (response) => {
          response.write('{"account":{');
          response.flushHeaders();
          setImmediate(() => response.destroy());
        },
      ],
      ['ends early', (): Reply => (response) => response.end('{"account":{')],
    ])('leaves no file where the answer %s', async (_, reply) => {
      const cwd = await temporaryFolder();
      const argv = ['accounts', 'export', 'acc_1', '--file', 'acme.json'];
      const { code } = await call(argv, reply, { cwd });
      expect([1, 5]).toContain(code);
      await expect(stat(join(cwd, 'acme.json'))).rejects.toThrow('ENOENT');
    });
  });
});

describe('exit codes', () => {
  it.each([
    [400, 'VALIDATION_ERROR', 1],
    [401, 'UNAUTHORIZED', 3],
    [403, 'FORBIDDEN', 3],
    [404, 'NOT_FOUND', 4],
    [409, 'CONFLICT', 1],
    [429, 'RATE_LIMIT_EXCEEDED', 5],
    [500, 'INTERNAL', 1],
  ])('%i %s is exit code %i, with the request’s id on stderr', async (status, errorCode, code) => {
    const headers = { 'retry-after': '3600' };
    const result = await call(['users', 'list'], refusal(status, errorCode, headers));
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).toContain(`(${errorCode})`);
    expect(result.err).toContain('request: req-1');
    expect(result.err).not.toContain('fairlead_account_key');
  });

  it('a validation error names the fields', async () => {
    const details = [{ field: 'email', issue: 'must be an e-mail address' }];
    const reply = refusal(400, 'VALIDATION_ERROR', {}, { details });
    const { err } = await call(['users', 'create', '--email', 'nobody'], reply);
    expect(err).toContain('\n  email: must be an e-mail address\n');
  });

  it('with --json the error is JSON too', async () => {
    const { err } = await call(['users', 'list', '--json'], refusal(404, 'NOT_FOUND'));
    expect(JSON.parse(err)).toMatchObject({
      error: { status: 404, errorCode: 'NOT_FOUND', requestId: 'req-1' },
    });
  });

  it('an unreachable installation is 5', async () => {
    const environment = { FAIRLEAD_URL: 'http://127.0.0.1:1', FAIRLEAD_OPERATOR_KEY: 'k' };
    expect((await invoke(['accounts', 'list'], { environment })).code).toBe(5);
  });
});
