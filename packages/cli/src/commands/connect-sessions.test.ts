import { startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach, describe, expect, it } from 'vitest';
import { invoke } from '../testing/invoke.ts';
import type { CommandResult, InvokeOptions } from '../testing/invoke.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const SESSION = {
  sessionId: 'cs_1',
  endUserId: 'customer 1',
  applicationSlugs: ['crm'],
  connectionId: null,
  redirectUrl: null,
  allowedOrigins: [],
  locale: null,
  theme: { mode: 'auto', primaryColor: null, logoUrl: null },
  metadata: {},
  status: 'completed',
  connections: [
    { connectionId: 7, connectionName: 'CRM', applicationSlug: 'crm' },
    { connectionId: 9, connectionName: 'CRM 2', applicationSlug: 'crm' },
  ],
  lastError: null,
  expiresAt: '2026-11-21T10:41:12.000Z',
  createdAt: '2026-11-21T10:11:12.000Z',
  updatedAt: '2026-11-21T10:11:12.000Z',
};
const CREATED = { ...SESSION, token: 'session-token', connectUrl: 'https://fairlead.example.com/connect/s' };

async function call(argv: string[], reply: Reply, options: InvokeOptions = {}): Promise<CommandResult> {
  await server?.close();
  server = await startApiServer(() => reply);
  const environment = {
    FAIRLEAD_URL: server.url,
    FAIRLEAD_API_KEY: 'fairlead_account_key',
    FAIRLEAD_CONFIG_DIR: '/nowhere',
  };
  return invoke(argv, { ...options, environment });
}

const sent = (): { line: string; body: unknown }[] =>
  (server?.received ?? []).map(({ method, path, body }) => ({
    line: `${method} ${path}`,
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }));

describe('connect-sessions', () => {
  const create = ['connect-sessions', 'create', '--end-user', 'customer 1'];

  it('create prints the page and the token on stdout, the advice on stderr', async () => {
    const { code, out, err } = await call(create, { status: 201, body: CREATED });
    expect(code).toBe(0);
    expect(out).toMatch(/^Page +https:\/\/fairlead\.example\.com\/connect\/s$/m);
    expect(out).toMatch(/^Token +session-token$/m);
    expect(err).toMatch(/^Give the address to that end user only/);
    expect(sent()).toEqual([{ line: 'POST /v1/connect-sessions', body: { endUserId: 'customer 1' } }]);
    const { out: json } = await call([...create, '--json'], { status: 201, body: CREATED });
    expect(JSON.parse(json)).toEqual(CREATED);
  });

  it('create sends every setting', async () => {
    const settings = [
      '--application crm erp --connection 7 --redirect-url https://a.example/done',
      '--allowed-origin https://a.example --locale fr --theme dark --expires-in 60',
    ].flatMap((words) => words.split(' '));
    await call([...create, ...settings], { status: 201, body: CREATED });
    expect(sent()[0]?.body).toEqual({
      endUserId: 'customer 1',
      applicationSlugs: ['crm', 'erp'],
      connectionId: 7,
      redirectUrl: 'https://a.example/done',
      allowedOrigins: ['https://a.example'],
      locale: 'fr',
      theme: { mode: 'dark' },
      expiresInMinutes: 60,
    });
  });

  it.each([
    ['no end user', ['connect-sessions', 'create']],
    ['minutes that are no number', [...create, '--expires-in', '1h']],
    ['an unknown theme', [...create, '--theme', 'blue']],
  ])('create with %s is a wrong call', async (_, argv) => {
    expect((await call(argv, { status: 201, body: CREATED })).code).toBe(2);
    expect(sent()).toEqual([]);
  });

  it('get shows the status and what was connected', async () => {
    const { out } = await call(['connect-sessions', 'get', 'cs_1'], { status: 200, body: SESSION });
    expect(out).toMatch(/^Status +completed$/m);
    expect(out).toMatch(/^Connections +7, 9$/m);
    expect(sent()).toEqual([{ line: 'GET /v1/connect-sessions/cs_1', body: undefined }]);
  });
});

describe.each([
  [['connect-sessions', 'delete', 'cs_1'], 'end', '/v1/connect-sessions/cs_1', 'Ended session cs_1.\n'],
  [['end-users', 'delete', 'a b/c'], 'delete', '/v1/end-users/a%20b%2Fc', 'Deleted what was a b/c’s.\n'],
])('%j', (argv, word, path, said) => {
  it('asks a person to confirm, and requires --yes in a script', async () => {
    expect((await call(argv, { status: 204 })).code).toBe(2);
    expect(sent()).toEqual([]);
    expect((await call(argv, { status: 204 }, { input: { typed: 'no\n' } })).code).toBe(1);
    expect(sent()).toEqual([]);
    const sure = await call(argv, { status: 204 }, { input: { typed: `${word}\n` } });
    expect(sure).toMatchObject({ code: 0, out: said });
    expect((await call([...argv, '--yes'], { status: 204 })).code).toBe(0);
    expect(sent()).toEqual([{ line: `DELETE ${path}`, body: undefined }]);
  });
});
