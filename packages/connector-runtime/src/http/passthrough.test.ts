import type { JsonObject } from '@fairlead/connector-model/json';
import { describe, expect, it } from 'vitest';
import type { CallableTool, ToolCall } from '../call.ts';
import { testCall, testCredential, testMethod, testOptions, testTool } from '../testing/calls.ts';
import { testRuntime, testVendor } from '../testing/vendor.ts';

const tool: CallableTool = {
  ...testTool({ type: 'handler', handler: '' }, { retryClass: 'unsafe' }),
  execution: { type: 'passthrough' },
};
const bearer = testMethod({ type: 'bearer', token: '{{field.token}}' });

function callOf(baseUrl: string | null, fields: JsonObject, o: Partial<ToolCall> = {}): ToolCall {
  const call = testCall(testTool({ type: 'handler', handler: '' }), {
    method: bearer,
    credential: testCredential({ token: 'sk-1', workspace: 'w1' }, { secrets: ['sk-1'] }),
    fields,
  });
  return { ...call, tool, connector: { ...call.connector, baseUrl }, ...o };
}

describe('a request of the caller’s own', () => {
  it('is sent below the base URL with the credential, and its response is the output', async () => {
    const { server } = await testVendor(() => ({ status: 201, headers: { 'x-a': 'b' }, body: { id: 1 } }));
    const fields = {
      method: 'POST',
      path: '/things/a%2Fb?x=1',
      query: { y: [1, 'two'], z: true },
      headers: { 'X-Mine': 'yes', Authorization: 'Bearer stolen' },
      body: { name: 'Ada' },
    };
    const outcome = await testRuntime().execute(callOf(`${server.url}/api`, fields), testOptions());
    expect(outcome).toMatchObject({ isSuccess: true, output: { status: 201, body: { id: 1 } }, attempts: 1 });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/things/a%2Fb',
      headers: { 'x-mine': 'yes', authorization: 'Bearer sk-1', 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    });
    expect(server.requests[0]?.query.toString()).toBe('x=1&y=1&y=two&z=true');
  });

  it('keeps the headers of the connector that depend on the connection, and may replace the others', async () => {
    const { server } = await testVendor(() => ({ status: 204 }));
    const call = callOf(server.url, { path: 'x', headers: { 'x-workspace': 'other', 'x-version': '2' } });
    const headers = { 'X-Workspace': '{{field.workspace}}', 'x-version': '1', 'x-none': '{{field.none}}' };
    const connector = { ...call.connector, headers };
    const outcome = await testRuntime().execute({ ...call, connector }, testOptions());
    expect(outcome).toMatchObject({ isSuccess: true, output: { status: 204, body: null } });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-workspace': 'w1', 'x-version': '2' });
    expect(server.requests[0]?.headers).not.toHaveProperty('x-none');
  });

  it('returns a large response unbuilt to a caller who takes that, unless it is binary or a refusal', async () => {
    const text = JSON.stringify({ items: Array(50_000).fill('x') });
    const type = { 'content-type': 'application/json' };
    const { server } = await testVendor(({ path }) => ({
      status: path === '/refused' ? 500 : 200,
      headers: path === '/image' ? { 'content-type': 'image/png' } : type,
      body: text,
    }));
    const answerOf = (path: string, takesUnbuilt: boolean) =>
      testRuntime().execute(callOf(server.url, { path }), { ...testOptions(), takesUnbuilt });
    const shape = expect.objectContaining({ kind: 'response', status: 200 }) as object;
    const unbuilt = await answerOf('x', true);
    expect(unbuilt).toMatchObject({ unbuilt: { shape, bytes: Buffer.from(text) } });
    const built = await answerOf('x', false);
    expect(built).not.toHaveProperty('unbuilt');
    // Compares bodies only, because the headers have different dates.
    const body = (outcome: object): unknown =>
      'output' in outcome ? Reflect.get(Object(outcome.output), 'body') : undefined;
    expect(body(unbuilt)).toEqual(JSON.parse(text));
    expect(body(built)).toEqual(JSON.parse(text));
    expect(await answerOf('image', true)).toMatchObject({
      output: { body: { base64: expect.any(String) as string } },
    });
    expect(await answerOf('refused', true)).toMatchObject({ isSuccess: false });
  });

  it('returns a redirect without following it', async () => {
    const { server } = await testVendor(() => ({ status: 302, headers: { location: '/admin' } }));
    const outcome = await testRuntime().execute(callOf(`${server.url}/api`, { path: 'x' }), testOptions());
    expect(outcome).toMatchObject({ output: { status: 302, headers: { location: '/admin' } } });
    expect(server.requests).toHaveLength(1);
  });

  it('fails with the vendor’s own text if the vendor refuses it', async () => {
    const { server } = await testVendor(() => ({ status: 401, body: { why: 'token sk-1 has expired' } }));
    const outcome = await testRuntime().execute(callOf(server.url, { path: 'x' }), testOptions());
    expect(outcome).toMatchObject({
      isSuccess: false,
      isUnauthorized: true,
      errorMessage: 'Acme responded with 401: {"why":"token *** has expired"}',
    });
  });

  it('sends a text as it is, and none with GET', async () => {
    const { server } = await testVendor(() => ({ status: 200, body: '' }));
    const fields = { method: 'PUT', path: '', body: '<a/>', headers: { 'content-type': 'text/xml' } };
    await testRuntime().execute(callOf(server.url, fields), testOptions());
    expect(server.requests[0]).toMatchObject({ body: '<a/>', headers: { 'content-type': 'text/xml' } });
    expect(testRuntime().preview(callOf(server.url, { method: 'GET', path: '', body: 1 }))).toMatchObject({
      type: 'refused',
      inputIssues: [{ field: 'body', issue: 'a GET request has none' }],
    });
  });
});

describe('a path', () => {
  const BASE = 'https://api.example.com/v1';

  it.each([
    'https://evil.example/v1/users',
    'http://api.example.com/v1/users',
    'https://api.example.com:444/v1/users',
    'https://api.example.com/v2/users',
    'https://api.example.com/v10',
    'https://user:pw@api.example.com/v1/users',
    'https://api.example.com@evil.example/v1/users',
    'https:evil.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//evil.example/x',
    '///evil.example/x',
    '/\\evil.example/x',
    '\\\\evil.example\\x',
    '/\t/evil.example',
    ' https://evil.example',
    '../v2',
    'users/../../v2',
    'users/..',
    './users',
    '%2e%2e/v2',
    '..%2fv2',
    '..%5cv2',
    '%252e%252e%252fv2',
    '..;/v2',
    '%zz',
  ])('%s is refused', (path) => {
    expect(testRuntime().preview(callOf(BASE, { path }))).toMatchObject({
      type: 'refused',
      inputIssues: [{ field: 'path' }],
    });
  });

  it.each([
    ['users', '/v1/users'],
    ['/users?next=../x', '/v1/users?next=../x'],
    ['https://api.example.com/v1/users#part', '/v1/users'],
  ])('%s is below the base URL', (path, sent) => {
    expect(testRuntime().preview(callOf(BASE, { path }))).toMatchObject({
      type: 'http',
      url: `https://api.example.com${sent}`,
      headers: { authorization: 'Bearer ***' },
    });
  });
});

it.each(['host', 'Connection', 'transfer-encoding', 'proxy-authorization', 'bad name'])(
  'the header %s is refused',
  (name) => {
    const call = callOf('https://api.example.com', { path: 'x', headers: { [name]: 'x' } });
    expect(testRuntime().preview(call)).toMatchObject({ inputIssues: [{ field: 'headers' }] });
  },
);
