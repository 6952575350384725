import { refusal } from '@fairlead/sdk/testing/api-server';
import type { ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach, describe, expect, it } from 'vitest';
import { api, call, CONNECTION, received, sent, SIGN_IN_URL, stop } from '../testing/connections-api.ts';

afterEach(stop);

const page = (items: unknown[]): Reply => ({
  status: 200,
  body: { items, totalCount: items.length, offset: 0, top: 100 },
});

describe('list and get', () => {
  it('list sends the filters, and shows a table to people and records to scripts', async () => {
    const filters = ['--application', 'crm', '--status', 'Active', '--kind', 'Regular', '--end-user', 'u 1'];
    const { out } = await call(['connections', 'list', ...filters], page([CONNECTION]));
    expect(out.split('\n')).toEqual([
      'ID  NAME    APPLICATION  METHOD   STATUS  DEFAULT  END USER  CREATED',
      '7   My CRM  crm          API key  Active  yes      -         2026-11-21 10:11Z',
      '',
    ]);
    const query = new URL(received()[0]?.path ?? '', 'http://localhost').searchParams;
    expect(Object.fromEntries(query)).toEqual({
      applicationSlug: 'crm',
      status: 'Active',
      kind: 'Regular',
      endUserId: 'u 1',
      offset: '0',
      top: '100',
    });
    const { out: json } = await call(['connections', 'list', '--json'], page([CONNECTION]));
    expect(JSON.parse(json)).toEqual([CONNECTION]);
  });

  it('get shows one; an id that is no number never reaches the installation', async () => {
    const shown = await call(['connections', 'get', '7'], { status: 200, body: CONNECTION });
    expect(shown.out).toMatch(/^Application +CRM \(crm\)$/m);
    const { code } = await call(['connections', 'get', '../users'], { status: 200, body: CONNECTION });
    expect({ code, sent: sent() }).toEqual({ code: 2, sent: [] });
  });
});

describe('create with values', () => {
  const create = ['connections', 'create', 'crm'];

  it('sends arguments by the types of their fields, and prompts for the required secret', async () => {
    const typed = { input: { typed: 's3cret\r' } };
    const fields = ['region=a=b', 'retries=3', 'isSandbox=true', 'extra={"a":[1]}'];
    const argv = [...create, '--name', 'My CRM', ...fields.flatMap((field) => ['--field', field])];
    const { code, out, err } = await call(argv, api(), typed);
    expect({ code, err }).toEqual({ code: 0, err: 'API token (apiToken): \n' });
    expect(out).not.toContain('s3cret');
    expect(sent().at(-1)).toEqual({
      line: 'POST /v1/connections',
      body: {
        applicationSlug: 'crm',
        authenticationId: 1,
        connectionName: 'My CRM',
        fields: { apiToken: 's3cret', region: 'a=b', retries: 3, isSandbox: true, extra: { a: [1] } },
      },
    });
  });

  it('prompts for the name that stands alone', async () => {
    const typed = { input: { typed: 's3cret\rsigned\r' } };
    await call([...create, '--field', 'signature'], api(), typed);
    expect(sent().at(-1)?.body).toMatchObject({ fields: { apiToken: 's3cret', signature: 'signed' } });
  });

  it('reads secrets from standard input; the name is the application’s', async () => {
    const piped = { input: { piped: '{"apiToken":"s3cret","retries":1}' } };
    const argv = [...create, '--values-stdin', '--field', 'retries=2', '--json'];
    const { code, out } = await call(argv, api(), piped);
    expect({ code, record: JSON.parse(out) as unknown }).toEqual({ code: 0, record: CONNECTION });
    expect(sent().at(-1)?.body).toMatchObject({
      connectionName: 'CRM',
      fields: { apiToken: 's3cret', retries: 2 },
    });
  });

  it.each([
    ['a secret in an argument', ['--field', 'apiToken=s3cret'], ''],
    ['a masked value in an argument', ['--field', 'signature=s3cret'], ''],
    ['an unknown field', ['--field', 'apitoken=x', '--values-stdin'], '{"apiToken":"s3cret"}'],
    ['an unknown field of standard input', ['--values-stdin'], '{"token":"s3cret"}'],
    ['a secret to prompt for without a terminal', [], ''],
    ['standard input that is not JSON', ['--values-stdin'], 's3cret'],
    ['standard input that is not an object', ['--values-stdin'], '["s3cret"]'],
    ['a number that is none', ['--field', 'retries=many', '--values-stdin'], '{"apiToken":"s3cret"}'],
    ['a boolean that is none', ['--field', 'isSandbox=1', '--values-stdin'], '{"apiToken":"s3cret"}'],
    ['JSON that is none', ['--field', 'extra={', '--values-stdin'], '{"apiToken":"s3cret"}'],
    ['an unknown method', ['--method', '9'], ''],
    ['a field without a name', ['--field', '=x'], ''],
  ])('%s is a wrong call, and nothing is created', async (_, more, piped) => {
    const { code, out, err } = await call([...create, ...more], api(), { input: { piped } });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toContain('s3cret');
    expect(sent().filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('what an auth provider can hold is prompted for only beside another such field', async () => {
    await call([...create, '--method', '2', '--auth-provider', 'Ours'], api());
    expect(sent().at(-1)).toMatchObject({
      line: 'POST /v1/connections?authProvider=Ours',
      body: { fields: {} },
    });
    const argv = [...create, '--method', '2', '--field', 'clientId=us'];
    await call(argv, api(), { input: { typed: 's3cret\r' } });
    expect(sent().at(-1)?.body).toMatchObject({ fields: { clientId: 'us', clientSecret: 's3cret' } });
  });
});

describe('create by sign-in', () => {
  const argv = ['connections', 'create', 'crm', '--method', '0', '--field', 'subdomain=acme'];

  it('shows the address, polls until the person has signed in, then creates', async () => {
    let waits = 0;
    const opened: string[] = [];
    const options = { isTerminal: true, opened, onWait: (): unknown => (waits += 1) };
    const more = ['--field', 'workspace=w1', '--auth-provider', 'Ours'];
    const { code, err } = await call([...argv, ...more], api({ polls: 2 }), options);
    expect({ code, err }).toEqual({ code: 0, err: `Open ${SIGN_IN_URL} to sign in\n` });
    expect(opened).toEqual([SIGN_IN_URL]);
    expect(waits).toBe(2);
    const poll = { line: 'GET /v1/connections/access-token/state-1', body: undefined };
    expect(sent().slice(1)).toEqual([
      {
        line: 'POST /v1/connections/get-sign-in-url',
        body: {
          applicationSlug: 'crm',
          authenticationId: 0,
          fields: { subdomain: 'acme' },
          authProvider: 'Ours',
        },
      },
      poll,
      poll,
      poll,
      {
        line: 'POST /v1/connections',
        body: {
          applicationSlug: 'crm',
          authenticationId: 0,
          connectionName: 'CRM of Ada',
          fields: { workspace: 'w1' },
          oauthState: 'state-1',
        },
      },
    ]);
  });

  it('a refused or ended sign-in ends the wait, and nothing is created', async () => {
    const ended = (request: ReceivedRequest): Reply =>
      request.path.includes('access-token') ? refusal(400, 'OAUTH_SIGN_IN_FAILED') : api()(request);
    const { code, err } = await call(argv, ended);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('(OAUTH_SIGN_IN_FAILED)') as string,
    });
    expect(sent().map(({ line }) => line)).not.toContain('POST /v1/connections');
  });

  it('opens no browser for a script', async () => {
    const opened: string[] = [];
    await call(argv, api(), { opened });
    await call([...argv, '--no-browser'], api(), { opened, isTerminal: true });
    expect(opened).toEqual([]);
  });

  it('Ctrl-C ends the wait', async () => {
    const interrupt = new AbortController();
    const options = { signal: interrupt.signal, onWait: () => interrupt.abort() };
    expect(await call(argv, api({ polls: 100 }), options)).toMatchObject({ code: 130, out: '' });
  });
});

describe('test, default and delete', () => {
  it('test is exit code 1 with the vendor’s reason where the connection does not work', async () => {
    const works = await call(['connections', 'test', '7'], {
      status: 200,
      body: { isSuccess: true, errorMessage: null },
    });
    expect(works).toEqual({ code: 0, out: 'Connection 7 works.\n', err: '' });
    const body = { isSuccess: false, errorMessage: 'Bad \u001B[31mtoken' };
    const fails = await call(['connections', 'test', '7'], { status: 200, body });
    expect(fails).toEqual({
      code: 1,
      out: '',
      err: 'fairlead: Connection 7 does not work: Bad token\n',
    });
    const json = await call(['connections', 'test', '7', '--json'], { status: 200, body });
    expect({ code: json.code, result: JSON.parse(json.out) as unknown }).toEqual({ code: 1, result: body });
    expect(sent()).toEqual([{ line: 'POST /v1/connections/7/test', body: undefined }]);
  });

  it('request sends a request to the application’s API, and is exit code 1 where the vendor refuses it', async () => {
    const argv = ['connections', 'request', '7', '/contacts'];
    const output = { status: 200, headers: {}, body: { name: 'A\u009B31m' } };
    const done = await call(
      [
        ...argv,
        '--method',
        'POST',
        '--query',
        'a=1',
        '--query',
        'a=2',
        '--header',
        'X-A=b=c',
        '--body-stdin',
      ],
      { status: 200, body: { isSuccess: true, output, historyId: 1 } },
      { input: { piped: '{"name":"Ada"}' } },
    );
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toEqual({ ...output, body: { name: 'A' } });
    const request = {
      method: 'POST',
      path: '/contacts',
      query: { a: ['1', '2'] },
      headers: { 'X-A': 'b=c' },
    };
    expect(sent()).toEqual([
      { line: 'POST /v1/connections/7/request', body: { ...request, body: { name: 'Ada' } } },
    ]);
    const refused = {
      isSuccess: false,
      output: {},
      historyId: null,
      errorMessage: 'CRM responded with 404.',
    };
    const fails = await call([...argv, '--dry-run'], { status: 200, body: refused });
    expect(fails).toEqual({ code: 1, out: '', err: 'fairlead: CRM responded with 404.\n' });
    expect(sent()).toMatchObject([{ line: 'POST /v1/connections/7/request?dryRun=true' }]);
    expect((await call([...argv, '--query', 'a'], { status: 200, body: {} })).code).toBe(2);
  });

  it('default makes it the default', async () => {
    const { code } = await call(['connections', 'default', '7'], { status: 200, body: CONNECTION });
    expect({ code, sent: sent() }).toEqual({
      code: 0,
      sent: [{ line: 'PUT /v1/connections/7/default', body: undefined }],
    });
  });

  it('delete asks a person, requires --yes in a script, and names what uses the connection', async () => {
    const argv = ['connections', 'delete', '7'];
    expect((await call(argv, { status: 204 })).code).toBe(2);
    expect(sent()).toEqual([]);
    expect((await call(argv, { status: 204 }, { input: { typed: 'no\n' } })).code).toBe(1);
    expect(sent()).toEqual([]);
    const sure = await call(argv, { status: 204 }, { input: { typed: 'delete\n' } });
    expect(sure).toMatchObject({ code: 0, out: 'Deleted connection 7.\n' });
    expect(sent()).toEqual([{ line: 'DELETE /v1/connections/7', body: undefined }]);
    const forced = await call([...argv, '--yes', '--force', '--json'], { status: 204 });
    expect(JSON.parse(forced.out)).toEqual({ id: 7, isDeleted: true });
    expect(sent()).toEqual([{ line: 'DELETE /v1/connections/7?force=true', body: undefined }]);
    const candidates = ['trigger:trg_1'];
    const used = await call([...argv, '--yes'], refusal(409, 'CONNECTION_IN_USE', {}, { candidates }));
    expect(used).toMatchObject({ code: 1, err: expect.stringContaining('trigger:trg_1') as string });
  });
});
