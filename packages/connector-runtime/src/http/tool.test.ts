import { describe, expect, it } from 'vitest';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { ToolCall } from '../call.ts';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testRequest,
  testTool,
} from '../testing/calls.ts';
import type { TestResponse } from '../testing/http-server.ts';
import { httpExecution, testRuntime, testVendor } from '../testing/vendor.ts';

describe('execute of an HTTP tool', () => {
  it('renders path, query, headers and body from the inputs and sends the credential', async () => {
    const { server, connector } = await testVendor(() => ({ status: 201, body: { id: 7 } }));
    const tool = testTool(
      httpExecution({
        request: testRequest('/people/{{input.id}}', {
          method: 'PUT',
          query: { notify: '{{input.notify}}', tag: '{{input.tags}}', none: '{{input.none}}' },
          headers: { 'x-workspace': '{{field.workspace}}', 'x-none': '{{input.none}}' },
          body: {
            name: '{{input.name}}',
            age: '{{input.age}}',
            none: '{{input.none}}',
            note: 'by {{input.name}}',
          },
        }),
      }),
    );
    const outcome = await testRuntime().execute(
      testCall(tool, {
        connector,
        method: testMethod({ type: 'bearer', token: '{{field.token}}' }),
        credential: testCredential({ token: 'tok-1', workspace: 'w1' }),
        fields: { id: 'a/b c', notify: true, tags: ['x', 'y'], name: 'Ada', age: 36 },
      }),
      testOptions(),
    );

    expect(outcome).toEqual({ isSuccess: true, output: { id: 7 }, attempts: 1 });
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'PUT',
      path: '/api/people/a%2Fb%20c',
      headers: { authorization: 'Bearer tok-1', 'x-workspace': 'w1', 'content-type': 'application/json' },
    });
    expect(request?.query.toString()).toBe('notify=true&tag=x&tag=y');
    expect(request?.headers).not.toHaveProperty('x-none');
    expect(JSON.parse(request?.body ?? '')).toEqual({ name: 'Ada', age: 36, note: 'by Ada' });
  });

  it('returns the vendor’s message at the pointer, with status and without secrets', async () => {
    const { connector } = await testVendor(() => ({
      status: 422,
      body: { error: { message: 'Key s3cret-key has no such name.' } },
    }));
    const credential = testCredential({}, { secrets: ['s3cret-key'] });
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector, credential }),
      testOptions(),
    );

    expect(outcome).toEqual({
      isSuccess: false,
      errorMessage: 'Acme responded with 422: Key *** has no such name.',
      attempts: 1,
      isUnauthorized: false,
    });
  });

  it('masks a secret where the message is cut, one of several lines, and one in a long body', async () => {
    const key = '-----BEGIN KEY-----\nabcdefgh\n  ijklmnop\n-----END KEY-----\n';
    const body = `${'x'.repeat(1990)} s3cret-key ${key} ${'y'.repeat(100_000)}`;
    const { connector } = await testVendor(() => ({
      status: 400,
      headers: { 'content-type': 'text/plain' },
      body,
    }));
    const call = (secrets: string[]) =>
      testCall(testTool(httpExecution()), { connector, credential: testCredential({}, { secrets }) });
    const cut = await testRuntime().execute(call(['s3cret-key']), testOptions());
    expect(cut).toMatchObject({ errorMessage: expect.stringMatching(/x{1950,}…$/) as string });
    const { connector: short } = await testVendor(() => ({
      status: 400,
      body: `"${JSON.stringify(key)} of ${key}`,
    }));
    const lines = await testRuntime().execute({ ...call([key]), connector: short }, testOptions());
    expect(lines).toMatchObject({ errorMessage: expect.stringContaining('***') as string });
    expect(JSON.stringify(lines)).not.toMatch(/abcdefgh|ijklmnop/);
  });

  it.each([
    [
      'text',
      { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Name  is\nmissing' },
      ': Name is missing',
    ],
    ['JSON elsewhere', { status: 400, body: { oops: 1 } }, ': {"oops":1}'],
    ['a page', { status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Oops</h1>' }, '.'],
    ['nothing', { status: 403 }, '.'],
  ])('falls back to the text of the body: %s', async (_name, response, text) => {
    const { connector } = await testVendor(() => response);
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({ errorMessage: `Acme responded with ${response.status}${text}` });
  });

  it('reports 401 as a refused credential', async () => {
    const { connector } = await testVendor(() => ({ status: 401, body: {} }));
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({ isSuccess: false, isUnauthorized: true });
  });

  it.each([
    ['an empty response', { status: 204 }, {}],
    ['a list', { body: [1, 2] }, { value: [1, 2] }],
    ['JSON called text', { headers: { 'content-type': 'text/plain' }, body: '{"a":1}' }, { a: 1 }],
    ['text', { headers: { 'content-type': 'text/csv' }, body: 'a,b' }, { value: 'a,b' }],
    ['no bytes', { headers: { 'content-type': 'image/png' } }, {}],
    ['other bytes', { body: new Uint8Array([0xff, 0xfe]) }, { status: 200, body: { base64: '//4=' } }],
    [
      'text of a binary type',
      { headers: { 'content-type': 'application/pdf' }, body: 'pdf' },
      { status: 200, headers: { 'content-type': 'application/pdf' }, body: { base64: 'cGRm' } },
    ],
  ])('returns an object for %s', async (_name, response, output) => {
    const { connector } = await testVendor(() => response);
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({ isSuccess: true, output });
  });

  it('takes the part of the body at the pointer, and the whole response for a raw mapping', async () => {
    const { connector } = await testVendor(() => ({
      status: 404,
      headers: { 'x-kind': 'k' },
      body: { data: { id: 1 } },
    }));
    const raw = await testRuntime().execute(
      testCall(testTool(httpExecution({ response: { type: 'raw' } })), { connector }),
      testOptions(),
    );
    expect(raw).toMatchObject({
      isSuccess: true,
      output: { status: 404, headers: { 'x-kind': 'k' }, body: { data: { id: 1 } } },
    });

    const ok = await testVendor(() => ({ body: { data: { id: 1 } } }));
    const part = await testRuntime().execute(
      testCall(testTool(httpExecution({ response: { type: 'object', pointer: '/data' } })), {
        connector: ok.connector,
      }),
      testOptions(),
    );
    expect(part).toMatchObject({ output: { id: 1 } });
    const picture = await testVendor(() => ({
      headers: { 'content-type': 'image/png' },
      body: new Uint8Array([0xff]),
    }));
    const whole = await testRuntime().execute(
      testCall(testTool(httpExecution({ response: { type: 'object', pointer: '/data' } })), {
        connector: picture.connector,
      }),
      testOptions(),
    );
    expect(whole).toMatchObject({ output: { status: 200, body: { base64: '/w==' } } });
  });

  it('refuses an output above 1 MiB', async () => {
    const { connector } = await testVendor(() => ({ body: { text: 'x'.repeat(1024 * 1024) } }));
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('larger than 1 MiB') as string,
    });
  });

  it('never sends a credential to another origin, whatever the inputs', async () => {
    const other = await testVendor(() => ({ body: {} }));
    const { connector } = await testVendor(() => ({ body: {} }));
    const call = (url: string, head: ConnectorHead): ToolCall =>
      testCall(testTool(httpExecution({ request: testRequest(url) })), {
        connector: head,
        method: testMethod({ type: 'bearer', token: '{{field.token}}' }),
        credential: testCredential({ token: 'tok' }),
        fields: { url: other.server.url, host: other.server.url.replace('http://', '') },
      });
    for (const [url, head] of [
      ['{{input.url}}/x', connector],
      ['http://{{input.host}}/x', connector],
      ['{{input.url}}/x', testConnector()],
      ['http://{{input.host}}/x', testConnector()],
    ] as const) {
      expect(await testRuntime().execute(call(url, head), testOptions())).toMatchObject({ isSuccess: false });
    }
    expect(other.server.requests).toEqual([]);
  });

  it('the methods of an application may have different base addresses: Jira by sign-in and by API token', async () => {
    const gateway = await testVendor(() => ({ body: {} }));
    const site = await testVendor(() => ({ body: {} }));
    const connector = testConnector({ baseUrl: `${site.server.url}/rest` });
    const call = (baseUrl: string | null): ToolCall =>
      testCall(testTool(httpExecution()), {
        connector,
        method: testMethod({ type: 'none' }, { baseUrl }),
        credential: testCredential({ cloudId: 'c-1' }),
      });
    const bySignIn = `${gateway.server.url}/ex/jira/{{field.cloudId}}/rest`;
    expect(await testRuntime().execute(call(bySignIn), testOptions())).toMatchObject({ isSuccess: true });
    expect(await testRuntime().execute(call(null), testOptions())).toMatchObject({ isSuccess: true });
    expect(gateway.server.requests.map(({ path }) => path)).toEqual(['/ex/jira/c-1/rest/things']);
    expect(site.server.requests.map(({ path }) => path)).toEqual(['/rest/things']);
  });

  it('does not follow a redirect to another site', async () => {
    const other = await testVendor(() => ({ body: {} }));
    const { connector } = await testVendor(() => ({ status: 302, headers: { location: other.server.url } }));
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('another site') as string,
    });
    expect(other.server.requests).toEqual([]);
  });

  it('stops at the deadline and on cancellation with a clear message', async () => {
    const arrived = Promise.withResolvers<void>();
    const { connector } = await testVendor(() => {
      arrived.resolve();
      return new Promise<TestResponse>(() => undefined);
    });
    const call = testCall(testTool(httpExecution()), { connector });
    expect(await testRuntime().execute(call, testOptions({ timeoutMs: 60 }))).toMatchObject({
      isSuccess: false,
      errorMessage: 'Acme did not respond within 60 ms.',
    });

    const controller = new AbortController();
    const cancelled = testRuntime().execute(call, testOptions({ signal: controller.signal }));
    await arrived.promise;
    controller.abort();
    expect(await cancelled).toMatchObject({ isSuccess: false, errorMessage: 'The call was cancelled.' });
  });

  it('names the missing input of an address instead of sending it', async () => {
    const { server, connector } = await testVendor(() => ({ body: {} }));
    const tool = testTool(
      httpExecution({ request: testRequest('/things/{{input.id}}', { method: 'DELETE' }) }),
    );
    for (const [fields, text] of [
      [{}, 'needs a value for id'],
      [{ id: '' }, 'id must not be empty'],
      [{ id: '..' }, 'must not be'],
    ] as const) {
      expect(await testRuntime().execute(testCall(tool, { connector, fields }), testOptions())).toMatchObject(
        {
          isSuccess: false,
          errorMessage: expect.stringContaining(text) as string,
        },
      );
    }
    expect(server.requests).toEqual([]);
  });
});

describe('a response that states whether the call succeeded', () => {
  const slackLike = {
    success: {
      pointer: '/ok',
      values: [true],
      unauthorized: { pointer: '/error', values: ['token_expired'] },
    },
    errorMessagePointers: ['/error'],
  };
  const execute = async (body: unknown, rule: Partial<ConnectorHead>, headers = {}) => {
    const { connector } = await testVendor(() => ({ body, headers }));
    const tool = testTool(httpExecution());
    return testRuntime().execute(testCall(tool, { connector: { ...connector, ...rule } }), testOptions());
  };

  it('is a failure with the vendor’s message, unless it has a value of a success', async () => {
    expect(await execute({ ok: false, error: 'not_in_channel' }, slackLike)).toMatchObject({
      isSuccess: false,
      isUnauthorized: false,
      errorMessage: 'Acme refused the call: not_in_channel',
    });
    expect(await execute({ ok: true, id: 1 }, slackLike)).toMatchObject({ output: { ok: true, id: 1 } });
    expect(await execute({ ok: false, error: 'token_expired' }, slackLike)).toMatchObject({
      isUnauthorized: true,
    });
  });

  it('is judged in a large body too, of which nothing is built', async () => {
    const large = 'x'.repeat(300_000);
    expect(await execute({ large, ok: false, error: 'e' }, slackLike)).toMatchObject({ isSuccess: false });
    expect(await execute({ large, ok: true }, slackLike)).toMatchObject({ isSuccess: true });
  });

  it('is a failure where errors are, if no value means success', async () => {
    const rule = {
      success: { pointer: '/errors', values: [] },
      errorMessagePointers: ['/errors/0/message'],
    };
    expect(await execute({ data: null, errors: [{ message: 'No such team.' }] }, rule)).toMatchObject({
      errorMessage: 'Acme refused the call: No such team.',
    });
    for (const body of [{ data: 1 }, { data: 1, errors: [] }, { data: 1, errors: null }])
      expect(await execute(body, rule)).toMatchObject({ isSuccess: true });
  });

  it('is not looked for in a body that is no JSON', async () => {
    const csv = { 'content-type': 'text/csv' };
    expect(await execute('a,b', slackLike, csv)).toMatchObject({ isSuccess: true });
    expect(await execute(new Uint8Array([0xff]), slackLike)).toMatchObject({ isSuccess: true });
    // Invalid JSON cannot report success.
    expect(await execute('{"ok":tru', slackLike)).toMatchObject({ isSuccess: false });
  });
});

describe('automatic retry', () => {
  it('repeats a call that changes nothing until it works, and counts the attempts', async () => {
    const { connector } = await testVendor((_request, count) =>
      count === 1 ? { status: 503 } : count === 2 ? { destroy: true } : { body: { ok: true } },
    );
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toEqual({ isSuccess: true, output: { ok: true }, attempts: 3 });
  });

  it('gives up after three attempts with the last response', async () => {
    const { server, connector } = await testVendor(() => ({ status: 502 }));
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({ errorMessage: 'Acme responded with 502.', attempts: 3 });
    expect(server.requests).toHaveLength(3);
  });

  it('never repeats a call that may change something twice', async () => {
    const { server, connector } = await testVendor(() => ({ status: 503 }));
    const tool = testTool(httpExecution(), { retryClass: 'unsafe' });
    expect(await testRuntime().execute(testCall(tool, { connector }), testOptions())).toMatchObject({
      attempts: 1,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('does not wait for a Retry-After beyond the deadline', async () => {
    const { server, connector } = await testVendor(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const outcome = await testRuntime().execute(
      testCall(testTool(httpExecution()), { connector }),
      testOptions(),
    );
    expect(outcome).toMatchObject({ errorMessage: 'Acme responded with 429.', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 401, 404, 500])('does not repeat after %i', async (status) => {
    const { server, connector } = await testVendor(() => ({ status }));
    await testRuntime().execute(testCall(testTool(httpExecution()), { connector }), testOptions());
    expect(server.requests).toHaveLength(1);
  });
});
