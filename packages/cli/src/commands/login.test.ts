import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { refusal } from '@fairlead/sdk/testing/api-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startInstallation } from '../testing/installation.ts';
import type { Installation } from '../testing/installation.ts';
import { invoke } from '../testing/invoke.ts';
import type { CommandResult, InvokeOptions } from '../testing/invoke.ts';

const WHOAMI = {
  accountId: 'acc_1',
  accountName: 'Acme',
  userId: 'usr_1',
  userName: 'Ada',
  userEmail: 'ada@example.com',
  credentialType: 'bearer',
  credentialId: 'token-1',
  roles: ['owner'],
  permissions: ['connections.read'],
  scopes: ['connections.read'],
};

let installation: Installation;
let config: string;

beforeEach(async () => {
  config = join(await temporaryFolder(), 'config');
  installation = await startInstallation((request, isAuthorized) => {
    if (request.path !== '/v1/auth/whoami') return undefined;
    return isAuthorized ? { status: 200, body: WHOAMI } : refusal(401, 'UNAUTHORIZED');
  });
});
afterEach(() => installation.close());

const call = (argv: string[], options: InvokeOptions = {}): Promise<CommandResult> =>
  invoke(argv, { ...options, environment: { FAIRLEAD_CONFIG_DIR: config, ...options.environment } });

/** Signs in; the person approves once the code is shown. */
const login = (options: InvokeOptions = {}): Promise<CommandResult> =>
  call(['login', '--url', installation.url], { ...options, onErr: () => installation.approve() });

const tokenRequests = (): URLSearchParams[] =>
  installation.received
    .filter(({ path }) => path === '/oauth/token')
    .map(({ body }) => new URLSearchParams(body));

const file = (): string => join(config, 'sessions.json');

describe('login', () => {
  it('shows address and code, waits for the person, and stores the tokens where only they can read them', async () => {
    const { code, out, err } = await login();
    expect(err).toBe(`Open ${installation.url}/oauth/device and enter the code ABCD-EFGH\n`);
    expect({ code, out }).toEqual({
      code: 0,
      out: `Signed in to ${installation.url} as ada@example.com of Acme.\n`,
    });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(config)).mode & 0o777).toBe(0o700);
    expect(await readdir(config)).toEqual(['sessions.json']);
    for (const token of [installation.accessToken(), installation.refreshToken()]) {
      expect(out + err).not.toContain(token);
    }
  });

  it('requests a token for this API with everything that the person may do, including administration', async () => {
    await login();
    const asked = installation.received.find(({ path }) => path === '/oauth/device/auth')?.body;
    expect(Object.fromEntries(new URLSearchParams(asked))).toEqual({
      client_id: 'fairlead-cli',
      scope: 'connections.read offline_access administration',
      resource: installation.url,
    });
    expect(tokenRequests()[0]?.get('resource')).toBe(installation.url);
  });

  it('opens the browser for a person at a terminal only, and not with --no-browser', async () => {
    const opened: string[] = [];
    await login({ opened });
    expect(opened).toEqual([]);
    await login({ opened, isTerminal: true });
    expect(opened).toEqual([`${installation.url}/oauth/device?user_code=ABCD-EFGH`]);
    await call(['login', '--url', installation.url, '--no-browser'], { opened, isTerminal: true });
    expect(opened).toHaveLength(1);
  });

  it('Ctrl-C while it waits is 130, and nothing is stored', async () => {
    const interrupt = new AbortController();
    const { code } = await call(['login', '--url', installation.url], {
      signal: interrupt.signal,
      onErr: () => interrupt.abort(),
    });
    expect(code).toBe(130);
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  it.each([
    ['http://fairlead.example.com', 2, 'is not https'],
    ['ftp://127.0.0.1', 2, 'Not an http or https address'],
    ['http://127.0.0.1:1', 5, 'does not respond'],
  ])('%s: exit code %i', async (url, code, text) => {
    const result = await call(['login', '--url', url]);
    expect(result.code).toBe(code);
    expect(result.err).toContain(text);
  });

  it.each([
    ['access_denied', 'The sign-in was denied.'],
    ['expired_token', 'The code expired. Run fairlead login for a new one.'],
  ])('%s at the page: exit code 3, and nothing is kept', async (error, text) => {
    const { code, err } = await call(['login', '--url', installation.url], {
      onErr: () => installation.refuse(error),
    });
    expect(code).toBe(3);
    expect(err).toContain(`fairlead: ${text}\n`);
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  it('a second sign-in ends the first one', async () => {
    await login();
    const first = installation.refreshToken();
    await login();
    expect(installation.revoked).toEqual([first]);
  });
});

describe('after a sign-in', () => {
  it('whoami needs no --url: the last sign-in is meant', async () => {
    await login();
    const { code, out } = await call(['whoami']);
    expect(code).toBe(0);
    expect(out).toContain('Acme (acc_1)');
    expect(JSON.parse((await call(['whoami', '--json'])).out)).toEqual(WHOAMI);
  });

  it('an expiring token is renewed, the new refresh token is stored, and concurrent commands renew it once', async () => {
    await login();
    const later = new Date(Date.now() + 880_000);
    const results = await Promise.all([1, 2, 3, 4].map(() => call(['whoami'], { now: () => later })));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const grants = tokenRequests().map((form) => form.get('grant_type'));
    expect(grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
    expect(await readFile(file(), 'utf8')).toContain(installation.refreshToken());
    expect(await readdir(config)).toEqual(['sessions.json']);
  });

  it('a sign-in that the server ended is reported: exit code 3', async () => {
    await login();
    installation.revokeAll();
    const { code, err } = await call(['whoami']);
    expect(code).toBe(3);
    expect(err).toContain(`The sign-in to ${installation.url} has expired`);
  });

  it('its tokens go nowhere else: another address is not signed in to', async () => {
    await login();
    const { code, err } = await call(['whoami', '--url', 'http://127.0.0.1:1']);
    expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining('Not signed in') as string });
  });

  it('FAIRLEAD_API_KEY replaces a sign-in', async () => {
    const environment = { FAIRLEAD_API_KEY: 'fairlead_k', FAIRLEAD_URL: installation.url };
    const { code, err } = await call(['whoami'], { environment });
    expect(installation.received.at(-1)?.headers['x-api-key']).toBe('fairlead_k');
    expect(code).toBe(3);
    expect(err).toBe('fairlead: Refused: UNAUTHORIZED. (UNAUTHORIZED)\n  request: req-1\n');
  });

  it('a foreign file is reported as unreadable, and not overwritten', async () => {
    await mkdir(config, { recursive: true });
    await writeFile(file(), 'something else');
    expect((await call(['whoami'])).code).toBe(1);
    expect(await readFile(file(), 'utf8')).toBe('something else');
  });
});

describe('logout', () => {
  it('revokes the refresh token and forgets everything', async () => {
    await login();
    const token = installation.refreshToken();
    expect(await call(['logout'])).toMatchObject({ code: 0, out: `Signed out of ${installation.url}.\n` });
    expect(installation.revoked).toEqual([token]);
    expect(await readFile(file(), 'utf8')).not.toContain(token);
    expect((await call(['logout', '--url', installation.url])).code).toBe(3);
    expect((await call(['whoami'])).code).toBe(2);
  });

  it('deletes the tokens even if the installation is unreachable, and reports that', async () => {
    await login();
    await installation.close();
    const { code, err } = await call(['logout']);
    expect(code).toBe(5);
    expect(err).toContain('could not be reached to revoke them');
    expect(await readFile(file(), 'utf8')).not.toContain('refresh-');
    installation = await startInstallation(() => undefined);
  });
});
