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

const PROVIDER = {
  id: 3,
  name: 'Ours',
  applicationSlug: 'crm',
  authenticationId: 0,
  isDefault: false,
  isEnabled: true,
  values: [
    { slot: 'Key1', label: 'Client id', isSecret: false, hasValue: true, value: 'us' },
    { slot: 'Key2', label: 'Client secret', isSecret: true, hasValue: true, value: null },
  ],
  scopes: null,
  lastError: null,
  createdAt: '2026-11-21T10:11:12.000Z',
  updatedAt: '2026-11-21T10:11:12.000Z',
};
const slots = [
  { slot: 'Key1', label: 'Client id', isSecret: false, isRequired: true },
  { slot: 'Key2', label: 'Client secret', isSecret: true, isRequired: true },
  { slot: 'Key3', label: 'Signing key', isSecret: true, isRequired: false },
];
const SOURCES = [
  {
    applicationSlug: 'crm',
    applicationName: 'CRM',
    methods: [{ authenticationId: 0, authenticationName: 'OAuth 2.0', slots }],
  },
  {
    applicationSlug: 'erp',
    applicationName: 'ERP',
    methods: [
      { authenticationId: 0, authenticationName: 'OAuth 2.0', slots },
      { authenticationId: 4, authenticationName: 'Client credentials', slots: [] },
    ],
  },
];

/** Runs a command against a server that responds as the API does, with one auth provider. */
async function call(argv: string[], options: InvokeOptions = {}): Promise<CommandResult> {
  await server?.close();
  server = await startApiServer(({ method, path }): Reply => {
    const { pathname } = new URL(path, 'http://localhost');
    const items = pathname === '/v1/auth-providers/sources' ? SOURCES : [PROVIDER];
    if (method === 'DELETE') return { status: 204 };
    if (method !== 'GET') return { status: method === 'POST' ? 201 : 200, body: PROVIDER };
    if (pathname === '/v1/auth-providers/redirect-uri')
      return { status: 200, body: { redirectUri: 'https://fairlead.example.com/connect/callback' } };
    if (pathname === '/v1/auth-providers/3') return { status: 200, body: PROVIDER };
    return { status: 200, body: { items, totalCount: items.length, offset: 0, top: 100 } };
  });
  const environment = {
    FAIRLEAD_URL: server.url,
    FAIRLEAD_API_KEY: 'fairlead_account_key',
    FAIRLEAD_CONFIG_DIR: '/nowhere',
  };
  return invoke(['auth-providers', ...argv], { ...options, environment });
}

/** The requests that change data. */
const changes = (): { line: string; body: unknown }[] =>
  (server?.received ?? [])
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => ({
      line: `${method} ${path}`,
      body: body === '' ? undefined : (JSON.parse(body) as unknown),
    }));

describe('list and sources', () => {
  it('list shows the auth providers, never their secrets', async () => {
    const { out } = await call(['list']);
    expect(out.split('\n')).toEqual([
      'ID  NAME  APPLICATION  METHOD  DEFAULT  ENABLED  LAST ERROR',
      '3   Ours  crm          0       no       yes      -',
      '',
    ]);
    expect(JSON.parse((await call(['list', '--json'])).out)).toEqual([PROVIDER]);
  });

  it('sources shows a line for each slot', async () => {
    const { out } = await call(['sources']);
    expect(out.split('\n').slice(0, 3)).toEqual([
      'APPLICATION  METHOD       SLOT  LABEL          SECRET  REQUIRED',
      'crm          0 OAuth 2.0  Key1  Client id      no      yes',
      'crm          0 OAuth 2.0  Key2  Client secret  yes     yes',
    ]);
    expect(JSON.parse((await call(['sources', '--json'])).out)).toEqual(SOURCES);
  });
});

describe('usable and redirect-uri', () => {
  it('usable lists those of an application, and redirect-uri prints what to register', async () => {
    const { out } = await call(['usable', '--application', 'crm']);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'ID  NAME  APPLICATION  METHOD  DEFAULT',
      '3   Ours  crm          0       no',
    ]);
    expect(server?.received[0]?.path).toMatch(/^\/v1\/auth-providers\/usable\?.*applicationSlug=crm/);
    expect((await call(['redirect-uri', 'crm'])).out).toBe('https://fairlead.example.com/connect/callback\n');
    expect(server?.received[0]?.path).toBe('/v1/auth-providers/redirect-uri?applicationSlug=crm');
  });
});

describe('create', () => {
  const create = ['create', 'crm', '--name', 'Ours', '--value', 'Key1=us'];

  it('prompts for the required secret, and shows none', async () => {
    const argv = [...create, '--default', '--no-enabled', '--scopes', 'read  write'];
    const { code, out, err } = await call(argv, { input: { typed: 's3cret\r' } });
    expect({ code, err }).toEqual({ code: 0, err: 'Client secret (Key2): \n' });
    expect(out).toMatch(/^Key2 \(Client secret\) +set$/m);
    expect(out).not.toContain('s3cret');
    expect(changes()).toEqual([
      {
        line: 'POST /v1/auth-providers',
        body: {
          name: 'Ours',
          applicationSlug: 'crm',
          authenticationId: 0,
          values: { Key1: 'us', Key2: 's3cret' },
          isDefault: true,
          isEnabled: false,
          scopes: ['read', 'write'],
        },
      },
    ]);
  });

  it('reads secrets from standard input', async () => {
    await call([...create, '--values-stdin'], { input: { piped: '{"Key2":"s3cret"}' } });
    expect(changes()[0]?.body).toMatchObject({ values: { Key1: 'us', Key2: 's3cret' } });
  });

  it.each([
    ['a secret in an argument', [...create, '--value', 'Key2=s3cret'], '', 2],
    ['no terminal to prompt at', create, '', 2],
    ['an unknown slot', [...create, '--value', 'clientId=us'], '', 2],
    ['a value that is no string', [...create, '--values-stdin'], '{"Key2":["s3cret"]}', 2],
    ['empty scopes', [...create, '--scopes', ' '], '', 2],
    ['several methods and none chosen', ['create', 'erp', '--name', 'Ours'], '', 2],
    ['a method that takes none', [...create, '--method', '1'], '', 2],
    ['an application that takes none', ['create', 'other', '--name', 'Ours'], '', 4],
  ])('%s creates nothing', async (_, argv, piped, expected) => {
    const { code, out, err } = await call(argv, { input: { piped } });
    expect({ code, out, changes: changes() }).toEqual({ code: expected, out: '', changes: [] });
    expect(err).not.toContain('s3cret');
  });

  it('--method chooses one of several', async () => {
    await call(['create', 'erp', '--name', 'Ours', '--method', '4']);
    expect(changes()[0]?.body).toMatchObject({ authenticationId: 4, values: {} });
  });
});

describe('update', () => {
  it('changes what is given', async () => {
    await call(['update', '3', '--name', 'Theirs', '--default', '--no-enabled', '--scopes', 'read']);
    expect(changes()).toEqual([
      {
        line: 'PATCH /v1/auth-providers/3',
        body: { name: 'Theirs', isDefault: true, isEnabled: false, scopes: ['read'] },
      },
    ]);
    await call(['update', '3', '--no-default', '--enabled', '--method-scopes']);
    expect(changes()[0]?.body).toEqual({ isDefault: false, isEnabled: true, scopes: null });
  });

  it('replaces a secret that is prompted for, and clears slots', async () => {
    const typed = { input: { typed: 's3cret\r' } };
    const argv = ['update', '3', '--value', 'Key2', '--clear', 'Key1', 'Key3'];
    const { err } = await call(argv, typed);
    expect(err).toBe('Client secret (Key2): \n');
    expect(changes()[0]?.body).toEqual({ values: { Key2: 's3cret', Key1: '', Key3: '' } });
  });

  it.each([
    ['a secret in an argument', ['--value', 'Key2=s3cret']],
    ['nothing to change', []],
    ['two choices of scopes', ['--scopes', 'read', '--method-scopes']],
  ])('%s is a wrong call', async (_, more) => {
    const { code, err } = await call(['update', '3', ...more]);
    expect({ code, changes: changes() }).toEqual({ code: 2, changes: [] });
    expect(err).not.toContain('s3cret');
  });
});

describe('delete', () => {
  it('asks a person to confirm and requires --yes in a script', async () => {
    expect((await call(['delete', '3'])).code).toBe(2);
    expect(changes()).toEqual([]);
    expect((await call(['delete', '3'], { input: { typed: 'no\n' } })).code).toBe(1);
    expect(changes()).toEqual([]);
    expect(await call(['delete', '3', '--yes'])).toMatchObject({
      code: 0,
      out: 'Deleted auth provider 3.\n',
    });
    expect(changes()).toEqual([{ line: 'DELETE /v1/auth-providers/3', body: undefined }]);
  });
});
