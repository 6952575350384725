import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { CLI, cli } from './support/cli.ts';
import type { CommandLine, Ran } from './support/cli.ts';

const stack = inject('stack');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-test-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const environment = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv =>
  cli(stack, folder).environment(more);
const fairlead: CommandLine['fairlead'] = (...args) => cli(stack, folder).fairlead(...args);
const json: CommandLine['json'] = (...args) => cli(stack, folder).json(...args);

/** Signs in with a browser, like a person who sees the address. */
async function login(): Promise<Ran> {
  const browser = await openBrowser();
  try {
    const child = spawn(process.execPath, [CLI, 'login'], { env: environment({}) });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const ended = new Promise<number>((resolve) => {
      child.once('exit', (code) => resolve(code ?? -1));
    });
    const [, address = '', code = ''] = await vi.waitUntil(
      () => /^Open (\S+) and enter the code (\S+)\n/.exec(err),
      { timeout: 120_000 },
    );
    const page = await browser.context.newPage();
    await page.goto(address);
    await page.getByLabel(/code/i).fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.locator('body').innerText()).resolves.toContain(code);
    await page.getByRole('button', { name: 'Yes, continue' }).click();
    await page.getByLabel(/e-?mail/i).fill(stack.account.ownerEmail);
    await page.getByLabel(/password/i).fill(stack.account.ownerPassword);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByRole('button', { name: /allow/i }).click();
    return { code: await ended, out, err };
  } finally {
    await browser.close();
  }
}

describe('a person who signs in', () => {
  it('is shown a code, agrees in a browser, and is signed in', async () => {
    expect(await login()).toMatchObject({
      code: 0,
      out: expect.stringContaining(`as ${stack.account.ownerEmail} of `) as string,
    });
  });

  it('is who they are, for administration too', async () => {
    const who = await json(['whoami']);
    expect(who).toMatchObject({ accountId: stack.account.accountId, credentialType: 'bearer' });
    expect(who.scopes).toContain('administration');
  });

  it('has tokens that only the owner can read', async () => {
    const file = join(folder, '.config/fairlead/sessions.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).sessions)).toEqual([stack.baseUrl]);
  });

  it('sees the users, makes one and switches them off', async () => {
    const email = `cli-${Date.now()}@example.com`;
    const made = await fairlead(
      ['users', 'create', '--email', email, '--role', 'member', '--password-stdin', '--json'],
      { input: 'a password long enough\n' },
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    const user = JSON.parse(made.out) as { userId: string };
    expect(made.out).not.toContain('long enough');
    expect((await json(['users', 'list'])).map(({ userId }: any) => userId)).toContain(user.userId);
    expect(await json(['users', 'update', user.userId, '--no-active'])).toMatchObject({ isActive: false });
    const { out } = await fairlead(['users', 'list']);
    expect(out).toMatch(/^USER +E-MAIL +NAME +ROLE +ACTIVE +CREATED\n/);
    expect(out).toContain(email);
  });

  it('makes a key, uses it and revokes it', async () => {
    const key = await json(['keys', 'create', '--name', 'Made by a test', '--expires', '1d']);
    const env = { FAIRLEAD_API_KEY: key.apiKey as string };
    expect(await json(['whoami'], env)).toMatchObject({ credentialType: 'apiKey', credentialId: key.id });
    expect((await fairlead(['keys', 'revoke', key.id])).code).toBe(2);
    expect(await fairlead(['keys', 'revoke', key.id, '--yes'])).toMatchObject({ code: 0 });
    await expect.poll(async () => (await fairlead(['whoami'], { env })).code).toBe(3);
    expect((await fairlead(['keys', 'revoke', key.id, '--yes'])).code).toBe(4);
  });

  it('passes all checks of the doctor', async () => {
    const report = await json(['doctor'], { FAIRLEAD_OPERATOR_KEY: stack.operatorKey });
    const found = Object.fromEntries(report.checks.map(({ check, status }: any) => [check, status]));
    expect(found).toMatchObject({
      reachable: 'ok',
      ready: 'ok',
      clock: 'ok',
      authorization: 'ok',
      token: 'ok',
      credential: 'ok',
      operator: 'ok',
      'sign-ins': 'ok',
    });
  });

  it('renews an access token that has ended, once for many at the same time', async () => {
    const file = join(folder, '.config/fairlead/sessions.json');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace(/"expiresAt": "[^"]+"/, '"expiresAt": "2026-01-01T00:00:00.000Z"'));
    const results = await Promise.all([1, 2, 3].map(() => fairlead(['whoami'])));
    expect(results.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
    expect(await readFile(file, 'utf8')).not.toContain('2026-01-01');
  });

  it('signs out, and the tokens are no longer valid', async () => {
    const file = join(folder, '.config/fairlead/sessions.json');
    const { accessToken } = JSON.parse(await readFile(file, 'utf8')).sessions[stack.baseUrl];
    expect((await fairlead(['logout'])).code).toBe(0);
    expect((await fairlead(['whoami'])).code).toBe(3);
    await expect
      .poll(async () => {
        const headers = { authorization: `Bearer ${accessToken}` };
        return (await fetch(`${stack.baseUrl}/v1/auth/whoami`, { headers })).status;
      })
      .toBe(401);
  });
});

describe('the connections of an account', () => {
  const env = { FAIRLEAD_API_KEY: stack.otherAccount.apiKey };
  const apiToken = stack.sandboxCrm.apiKey;

  it('are made with values of standard input, listed, tested, made the default and deleted', async () => {
    const argv = ['connections', 'create', 'sandbox-crm', '--name', 'Made by the CLI', '--values-stdin'];
    const input = JSON.stringify({ apiToken });
    const made = await fairlead([...argv, '--json'], { env, input });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).not.toContain(apiToken);
    const { id } = JSON.parse(made.out) as { id: number };
    const list = ['connections', 'list', '--application', 'sandbox-crm', '--status', 'Active'];
    const listed = async (): Promise<number[]> => (await json(list, env)).map((one: any) => one.id);
    expect(await listed()).toContain(id);
    expect(await json(['connections', 'test', `${id}`], env)).toMatchObject({ isSuccess: true });
    expect(await json(['connections', 'default', `${id}`], env)).toMatchObject({ id, isDefault: true });
    expect((await fairlead(['connections', 'get', `${id}`], { env })).out).toContain('Made by the CLI');
    expect((await fairlead(['connections', 'delete', `${id}`], { env })).code).toBe(2);
    expect((await fairlead(['connections', 'delete', `${id}`, '--yes'], { env })).code).toBe(0);
    expect(await listed()).not.toContain(id);
    expect((await fairlead(['connections', 'test', `${id}`], { env })).code).toBe(4);
  });

  it('are made by a sign-in through an auth provider, which is then in use', async () => {
    const { oauthClientId, oauthClientSecret, user, password } = stack.sandboxCrm;
    const provider = ['auth-providers', 'create', 'sandbox-crm', '--name', 'CLI', '--method', '0'];
    const { code, out } = await fairlead(
      [...provider, '--value', `Key1=${oauthClientId}`, '--values-stdin', '--json'],
      {
        env,
        input: JSON.stringify({ Key2: oauthClientSecret }),
      },
    );
    expect(code).toBe(0);
    const { id: providerId } = JSON.parse(out) as { id: number };
    const create = [
      'connections',
      'create',
      'sandbox-crm',
      '--method',
      '0',
      '--auth-provider',
      'CLI',
      '--json',
    ];
    const browser = await openBrowser();
    try {
      const child = spawn(process.execPath, [CLI, ...create], { env: environment(env) });
      let shown = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      const ended = new Promise<number>((resolve) => {
        child.once('close', (exitCode) => resolve(exitCode ?? -1));
      });
      const [, address = ''] = await vi.waitUntil(() => /^Open (\S+) to sign in\n/.exec(err), {
        timeout: 120_000,
      });
      const page = await browser.context.newPage();
      await page.goto(address);
      await page.getByRole('button', { name: /continue/i }).click();
      await page.getByLabel(/e-?mail/i).fill(user);
      await page.getByLabel(/password/i).fill(password);
      await page.getByRole('button', { name: /sign in/i }).click();
      await page.getByRole('button', { name: /allow/i }).click();
      expect(await ended, err).toBe(0);
      const connection = JSON.parse(shown);
      expect(connection).toMatchObject({ authProviderId: providerId, status: 'Active' });
      const inUse = await fairlead(['auth-providers', 'delete', `${providerId}`, '--yes'], { env });
      expect(inUse).toMatchObject({
        code: 1,
        err: expect.stringContaining('(AUTH_PROVIDER_IN_USE)') as string,
      });
      expect((await fairlead(['connections', 'delete', `${connection.id}`, '--yes'], { env })).code).toBe(0);
      expect((await fairlead(['auth-providers', 'delete', `${providerId}`, '--yes'], { env })).code).toBe(0);
    } finally {
      await browser.close();
    }
  });
});

describe('workflows and files of an account', () => {
  const env = { FAIRLEAD_API_KEY: stack.account.apiKey };

  it('a workflow is made from a file, previewed with a toolset that holds it, run and deleted', async () => {
    const values = JSON.stringify({ apiToken: stack.sandboxCrm.apiKey });
    const created = await fairlead(
      ['connections', 'create', 'sandbox-crm', '--name', 'Of a workflow', '--values-stdin', '--json'],
      { env, input: values },
    );
    const connection = String(JSON.parse(created.out).id);
    const file = join(folder, 'workflow.json');
    const steps = [{ id: 'add', toolSlug: 'sandbox-crm-create-contact', fields: { name: '=input.name' } }];
    await writeFile(file, JSON.stringify({ name: 'Add', slug: 'cli-add', steps }));
    const { workflowToken } = await json(['workflows', 'create', '--file', file], env);
    const { id } = await json(
      [
        'toolsets',
        'create',
        '--name',
        'Of a workflow',
        '--connection',
        connection,
        '--workflow',
        workflowToken,
      ],
      env,
    );
    const run = ['workflows', 'run', workflowToken, '--toolset', id, '--file', '-'];
    const input = JSON.stringify({ name: 'Ada of a workflow' });
    const preview = await fairlead([...run, '--dry-run'], { env, input });
    expect(preview).toMatchObject({ code: 0, out: expect.stringContaining('Ada of a workflow') });
    const { code, out } = await fairlead([...run, '--json'], { env, input });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      isSuccess: true,
      output: { add: { name: 'Ada of a workflow' } },
    });
    const removal = ['workflows', 'delete', workflowToken, '--yes'];
    expect(await fairlead(removal, { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining(`toolset:${id}`),
    });
    expect((await fairlead([...removal, '--force'], { env })).code).toBe(0);
    await fairlead(['toolsets', 'delete', id, '--yes'], { env });
    await fairlead(['connections', 'delete', connection, '--yes'], { env });
  });

  it('an MCP server is created, changed, given another token and deleted', async () => {
    const { mcpServerToken } = await json(['mcp-servers', 'create', '--name', 'Of the CLI'], env);
    const inactive = await json(['mcp-servers', 'update', mcpServerToken, '--no-active'], env);
    expect(inactive).toMatchObject({ name: 'Of the CLI', isActive: false });
    const rotated = await json(['mcp-servers', 'rotate', mcpServerToken, '--yes'], env);
    expect((await fairlead(['mcp-servers', 'show', mcpServerToken], { env })).code).toBe(4);
    const { out } = await fairlead(['mcp-servers', 'list'], { env });
    expect(out).toMatch(new RegExp(`${rotated.mcpServerToken} +Of the CLI +no`));
    expect((await fairlead(['mcp-servers', 'delete', rotated.mcpServerToken, '--yes'], { env })).code).toBe(
      0,
    );
  });

  it('a file is uploaded, downloaded and deleted', async () => {
    const source = join(folder, 'source.bin');
    const bytes = Buffer.alloc(3_000_000, 'fairlead');
    await writeFile(source, bytes);
    const { fileId, name } = await json(['files', 'upload', '--file', source], env);
    expect(name).toBe('source.bin');
    const copy = join(folder, 'copy.bin');
    expect(await json(['files', 'download', fileId, '--file', copy], env)).toEqual({
      file: copy,
      sizeBytes: bytes.length,
    });
    expect((await readFile(copy)).equals(bytes)).toBe(true);
    const piped = await fairlead(['files', 'upload', '--file', '-', '--name', 'a.txt', '--json'], {
      env,
      input: 'piped',
    });
    expect(JSON.parse(piped.out)).toMatchObject({ name: 'a.txt', sizeBytes: 5 });
    for (const id of [fileId, JSON.parse(piped.out).fileId]) {
      expect((await fairlead(['files', 'delete', id, '--yes'], { env })).code).toBe(0);
      expect((await fairlead(['files', 'get', id], { env })).code).toBe(4);
    }
  });
});

describe('the end users of an account', () => {
  const env = { FAIRLEAD_API_KEY: stack.otherAccount.apiKey };

  it('get a session with a hosted page, which is ended, and all that is theirs is deleted', async () => {
    const endUser = `cli-${Date.now()}`;
    const argv = [
      'connect-sessions',
      'create',
      '--end-user',
      endUser,
      '--application',
      'sandbox-crm',
      '--json',
    ];
    const made = await fairlead(argv, { env });
    expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^Give the address to/) as string });
    const { sessionId, connectUrl } = JSON.parse(made.out) as { sessionId: string; connectUrl: string };
    expect(connectUrl.startsWith(`${stack.baseUrl}/connect/`), connectUrl).toBe(true);
    const status = async (): Promise<unknown> =>
      (await json(['connect-sessions', 'get', sessionId], env)).status;
    expect(await status()).toBe('open');
    expect((await fairlead(['connect-sessions', 'delete', sessionId], { env })).code).toBe(2);
    expect((await fairlead(['connect-sessions', 'delete', sessionId, '--yes'], { env })).code).toBe(0);
    expect(await status()).toBe('cancelled');
    expect((await fairlead(['end-users', 'delete', endUser, '--yes'], { env })).code).toBe(0);
    expect((await fairlead(['connect-sessions', 'get', sessionId], { env })).code).toBe(4);
  });
});

describe('the operator', () => {
  const env = { FAIRLEAD_OPERATOR_KEY: stack.operatorKey };

  it('creates an account, changes it, exports its data and erases it', async () => {
    const name = `Account of a test ${Date.now()}`;
    const made = await json(
      ['accounts', 'create', '--name', name, '--owner-email', 'owner@example.com'],
      env,
    );
    const { accountId, apiKey } = made as { accountId: string; apiKey: string };
    expect(await json(['whoami'], { FAIRLEAD_API_KEY: apiKey })).toMatchObject({ accountName: name });
    const changed = await json(
      ['accounts', 'update', accountId, '--rbac', 'on', '--budget', 'hourly=7'],
      env,
    );
    expect(changed).toMatchObject({ isRbacEnabled: true, budgets: { hourly: 7, burstPerSecond: 50 } });
    expect((await json(['accounts', 'list'], env)).map((account: any) => account.accountId)).toContain(
      accountId,
    );
    const file = join(folder, 'export.json');
    await json(['accounts', 'export', accountId, '--file', file], env);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ account: { name } });
    expect((await fairlead(['accounts', 'delete', accountId], { env })).code).toBe(2);
    expect((await fairlead(['accounts', 'delete', accountId, '--yes'], { env })).code).toBe(0);
    expect((await fairlead(['accounts', 'update', accountId, '--rbac', 'off'], { env })).code).toBe(4);
  });

  it('is refused without the key', async () => {
    expect((await fairlead(['accounts', 'list'])).code).toBe(3);
    const wrong = { FAIRLEAD_OPERATOR_KEY: stack.account.apiKey };
    const { code, err } = await fairlead(['accounts', 'list'], { env: wrong });
    expect(code).toBe(3);
    expect(err).toMatch(/\(UNAUTHORIZED\)\n {2}request: \S+\n$/);
  });
});

it('an unreachable instance may be retried: exit code 5', async () => {
  const env = { FAIRLEAD_URL: 'http://127.0.0.1:1', FAIRLEAD_API_KEY: 'fairlead_k' };
  expect((await fairlead(['whoami'], { env })).code).toBe(5);
  expect((await fairlead(['doctor'], { env })).code).toBe(1);
});
