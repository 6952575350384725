import { describe, expect, it } from 'vitest';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { ToolCall } from './call.ts';
import { HandlerError, InputError } from './handler.ts';
import type { HandlerCall, HandlerRegistry } from './handler.ts';
import {
  testCall,
  testConnector,
  testCredential,
  testField,
  testMethod,
  testOptions,
  testRequest,
  testTool,
} from './testing/calls.ts';
import { httpExecution, testRuntime, testVendor } from './testing/vendor.ts';

describe('execute of a handler', () => {
  it('passes the call to the handler, and its errors to the caller', async () => {
    const seen: HandlerCall[] = [];
    const handlers: HandlerRegistry = (slug, name) =>
      Promise.resolve((call: HandlerCall) => {
        seen.push(call);
        if (name === 'fail') throw new HandlerError('No luck with pass-word.', { isUnauthorized: true });
        return Promise.resolve({ slug, name });
      });
    const credential = testCredential({ a: 1 }, { secrets: ['pass-word'] });
    const call = (handler: string): ToolCall =>
      testCall(testTool({ type: 'handler', handler }), { credential, fields: { q: 'x' }, top: 3, offset: 4 });

    expect(await testRuntime(handlers).execute(call('work'), testOptions())).toEqual({
      isSuccess: true,
      output: { slug: 'acme', name: 'work' },
      attempts: 1,
    });
    expect(seen[0]).toMatchObject({ credential, fields: { q: 'x' }, top: 3, offset: 4 });
    expect(await testRuntime(handlers).execute(call('fail'), testOptions())).toEqual({
      isSuccess: false,
      errorMessage: 'No luck with ***.',
      attempts: 1,
      isUnauthorized: true,
    });
  });

  it('returns an output above 1 MiB unbuilt to a caller who takes it, within that one’s limit', async () => {
    const MIB = 1024 * 1024;
    const handlers: HandlerRegistry = (_slug, name) =>
      Promise.resolve(() => Promise.resolve({ text: 'x'.repeat(Number(name) * MIB) }));
    const execute = (mib: number, maxOutputBytes?: number) =>
      testRuntime(handlers).execute(
        testCall(testTool({ type: 'handler', handler: String(mib) })),
        testOptions({ maxOutputBytes }),
      );
    const taken = await execute(2, 8 * MIB);
    expect(taken).toMatchObject({
      isSuccess: true,
      unbuilt: { shape: { kind: 'output', maxBytes: 8 * MIB } },
    });
    expect(taken).toMatchObject({ output: { text: 'x'.repeat(2 * MIB) } });
    expect(await execute(0, 8 * MIB)).toEqual({ isSuccess: true, output: { text: '' }, attempts: 1 });
    for (const [given, maxOutputBytes, limit] of [
      [8, 8 * MIB, 8],
      [2, undefined, 1],
    ] as const)
      expect(await execute(given, maxOutputBytes)).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining(`larger than ${limit} MiB`) as string,
      });
  });

  it('names the inputs that a handler refuses, without secrets', async () => {
    const handlers: HandlerRegistry = () =>
      Promise.resolve(() =>
        Promise.reject(
          new InputError([
            { field: 'filters[1].field', issue: 'must be one of: a, pass-word' },
            { field: 'sorts[0].pass-word', issue: 'must be one of: a' },
          ]),
        ),
      );
    const credential = testCredential({}, { secrets: ['pass-word'] });
    const call = testCall(testTool({ type: 'handler', handler: 'x' }), { credential });
    expect(await testRuntime(handlers).execute(call, testOptions())).toEqual({
      isSuccess: false,
      errorMessage: 'filters[1].field: must be one of: a, ***; sorts[0].***: must be one of: a',
      attempts: 1,
      isUnauthorized: false,
      inputIssues: [
        { field: 'filters[1].field', issue: 'must be one of: a, ***' },
        { field: 'sorts[0].***', issue: 'must be one of: a' },
      ],
    });
  });

  it('rejects for a defect, which is not an outcome', async () => {
    const handlers: HandlerRegistry = () =>
      Promise.resolve(() => Promise.reject(new TypeError('undefined is not…')));
    const call = testCall(testTool({ type: 'handler', handler: 'x' }));
    await expect(testRuntime(handlers).execute(call, testOptions())).rejects.toThrow(TypeError);
  });
});

describe('preview', () => {
  it('shows the request that would be sent, with every secret masked, and sends nothing', async () => {
    const { server, connector } = await testVendor(() => ({ body: {} }));
    const method = testMethod(
      { type: 'apiKey', in: 'query', name: 'key', value: '{{field.key}}' },
      { fields: [testField('key', { isPassword: true }), testField('tenant')] },
    );
    const call = testCall(
      testTool(
        httpExecution({
          request: testRequest('/{{field.tenant}}', { method: 'POST', body: { a: '{{input.a}}' } }),
        }),
      ),
      {
        connector,
        method,
        credential: testCredential({ key: 'k', tenant: 't1' }, { secrets: ['k'] }),
        fields: { a: 1 },
      },
    );
    expect(testRuntime().preview(call)).toEqual({
      type: 'http',
      method: 'POST',
      url: `${server.url}/api/t1?key=***`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: { a: 1 },
    });
    expect(server.requests).toEqual([]);
  });

  it('masks values derived from a secret too', () => {
    const connector = testConnector({ baseUrl: 'https://api.example.com' });
    const basic = testMethod(
      { type: 'basic', username: '{{field.user}}', password: '{{field.password}}' },
      { fields: [testField('user'), testField('password', { isPassword: true })] },
    );
    const credential = testCredential({ user: 'ada', password: 'pw' }, { secrets: ['pw'] });
    expect(
      testRuntime().preview(testCall(testTool(httpExecution()), { connector, method: basic, credential })),
    ).toMatchObject({
      headers: { authorization: 'Basic ***' },
    });
  });

  it('shows no signature made with a mask', () => {
    const connector = testConnector({ baseUrl: 'https://api.example.com' });
    const scheme = {
      type: 'awsSigV4',
      accessKeyId: 'id',
      secretAccessKey: '{{field.key}}',
      region: 'eu',
      service: 'sqs',
    } as const;
    const method = testMethod(scheme, { fields: [testField('key', { isPassword: true })] });
    const credential = testCredential({ key: 's3cr3t' }, { secrets: ['s3cr3t'] });
    const call = testCall(testTool(httpExecution()), { connector, method, credential });
    expect(testRuntime().preview(call)).toMatchObject({ headers: { authorization: 'AWS4-HMAC-SHA256 ***' } });
  });

  it('says why nothing would be sent', () => {
    const call = testCall(testTool(httpExecution({ request: testRequest('/{{input.id}}') })), {
      connector: testConnector({ baseUrl: 'https://api.example.com' }),
    });
    expect(testRuntime().preview(call)).toEqual({
      type: 'refused',
      errorMessage: 'The request needs a value for id.',
    });
  });
});

describe('testCredential', () => {
  it('passes for a 2xx, and otherwise says why not', async () => {
    const { connector } = await testVendor(({ headers }) =>
      headers['x-key'] === 'good' ? { body: {} } : { status: 401, body: { error: { message: 'Bad key.' } } },
    );
    const method = testMethod(
      { type: 'apiKey', in: 'header', name: 'X-Key', value: '{{field.key}}' },
      { test: { type: 'http', request: testRequest('/me') } },
    );
    const check = (key: string): Promise<unknown> =>
      testRuntime().testCredential(connector, method, testCredential({ key }), testOptions());
    expect(await check('good')).toEqual({ isSuccess: true });
    expect(await check('bad')).toEqual({
      isSuccess: false,
      errorMessage: 'Acme responded with 401: Bad key.',
      isUnauthorized: true,
    });
  });

  it('passes for a method without a probe', async () => {
    expect(
      await testRuntime().testCredential(testConnector(), testMethod(), testCredential(), testOptions()),
    ).toEqual({
      isSuccess: true,
    });
  });
});

describe('fieldOptions', () => {
  const options = (connector: ConnectorHead): Promise<unknown> => {
    const workspace = testField('workspace', {
      dynamicOptions: {
        request: testRequest('/workspaces'),
        itemsPointer: '/items',
        valuePointer: '/id',
        labelPointer: '/name',
      },
    });
    const method = testMethod({ type: 'none' }, { fields: [testField('plain'), workspace] });
    return testRuntime().fieldOptions(connector, method, testCredential(), testOptions());
  };

  it('maps the value to save to its label, for the dynamic fields only', async () => {
    const { connector } = await testVendor(() => ({
      body: { items: [{ id: 7, name: 'Sales' }, { id: 'x' }, {}] },
    }));
    expect(await options(connector)).toEqual({ workspace: { 7: 'Sales', x: 'x' } });
  });

  it('throws a failure with a message for people', async () => {
    const { connector } = await testVendor(() => ({
      status: 403,
      body: { error: { message: 'Not yours.' } },
    }));
    await expect(options(connector)).rejects.toThrow('Acme responded with 403: Not yours.');
  });

  it('asks before the base address has the value that is chosen, but only at its origin', async () => {
    const { server, connector } = await testVendor(() => ({
      body: { items: [{ id: 'eu', name: 'Europe' }] },
    }));
    const optionsAt = (origin: string): Promise<unknown> => {
      const site = testField('site', {
        dynamicOptions: {
          request: testRequest(`${origin}/sites`),
          itemsPointer: '/items',
          valuePointer: '/id',
          labelPointer: '/name',
        },
      });
      const baseUrl = `${server.url}/of/{{field.site}}`;
      const method = testMethod({ type: 'none' }, { fields: [site], baseUrl });
      return testRuntime().fieldOptions(connector, method, testCredential(), testOptions());
    };
    expect(await optionsAt(server.url)).toEqual({ site: { eu: 'Europe' } });
    await expect(optionsAt('http://127.0.0.1:9')).rejects.toThrow('outside the address');
  });

  it('refuses options that are larger than an output', async () => {
    const { connector } = await testVendor(() => ({
      body: { items: [{ id: 1, name: 'x'.repeat(2 ** 20) }] },
    }));
    await expect(options(connector)).rejects.toThrow('larger than 1 MiB');
  });
});
