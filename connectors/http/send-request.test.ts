import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { testRuntime, testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { connectorHandlers } from '../handlers.ts';

const connector = testConnector({ slug: 'http', name: 'HTTP' });
const tool = testTool({ type: 'handler', handler: 'sendRequest' }, { retryClass: 'unsafe' });
const bearer = testMethod({ type: 'bearer', token: '{{field.token}}' });

function send(
  fields: LazyObject,
  method: AuthenticationMethod = testMethod(),
  credential: JsonObject = {},
): Promise<ToolOutcome> {
  const call = testCall(tool, { connector, method, credential: testCredential(credential), fields });
  return testRuntime(connectorHandlers).execute(call, testOptions());
}

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_value, index) => [`x-${index}`, 'y']));
}

describe('sendRequest', () => {
  it('sends a large JSON body that nobody has parsed as its bytes', async () => {
    const { server } = await testVendor(() => ({ status: 204 }));
    const body = new LazyJson(Buffer.from('[1,{"a":2}]'));
    const outcome = await send({ method: 'POST', url: `${server.url}/x`, body });
    expect(outcome).toMatchObject({ isSuccess: true });
    expect(server.requests[0]).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: '[1,{"a":2}]',
    });
  });

  it.each([
    ['characters', 'aé一😀'],
    ['escapes', 'a\n"\\'],
  ])('sends a large text that nobody has decoded as it is: %s', async (_name, text) => {
    const { server } = await testVendor(() => ({ status: 204 }));
    const body = new LazyJson(Buffer.from(JSON.stringify(text)));
    expect(await send({ method: 'POST', url: `${server.url}/x`, body })).toMatchObject({ isSuccess: true });
    expect(server.requests[0]).toMatchObject({
      headers: { 'content-type': 'text/plain;charset=utf-8' },
      body: text,
    });
  });

  it('sends every digit of a JSON that is given as a text; numbers are rounded, as docs/limits.md says', async () => {
    const { server } = await testVendor(() => ({ status: 204 }));
    const json = '{"id":9007199254740993}';
    const headers = { 'content-type': 'application/json' };
    for (const body of [json, JSON.parse(json) as JsonObject])
      await send({ method: 'POST', url: `${server.url}/x`, headers, body });
    expect(server.requests.map(({ body }) => body)).toEqual([json, '{"id":9007199254740992}']);
    expect(server.requests.map(({ headers: sent }) => sent['content-type'])).toEqual([
      'application/json',
      'application/json',
    ]);
  });

  it('sends method, headers, query and JSON body, and returns status, headers and body', async () => {
    const { server } = await testVendor(() => ({ status: 201, headers: { 'x-a': 'b' }, body: { id: 1 } }));
    const outcome = await send({
      method: 'POST',
      url: `${server.url}/x?a=1`,
      headers: { 'X-Mine': 'yes' },
      query: { b: [1, 2], c: true },
      body: { name: 'Ada' },
    });
    expect(outcome).toMatchObject({
      isSuccess: true,
      output: { status: 201, headers: { 'x-a': 'b', 'content-type': 'application/json' }, body: { id: 1 } },
    });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/x',
      headers: { 'x-mine': 'yes', 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    });
    expect(server.requests[0]?.query.toString()).toBe('a=1&b=1&b=2&c=true');
  });

  it('sends a file as the body, with its content type', async () => {
    const { server } = await testVendor(() => ({ status: 204 }));
    const file = { name: 'a.txt', contentType: 'text/css', base64: Buffer.from('a {}').toString('base64') };
    await send({ method: 'PUT', url: server.url, file });
    expect(server.requests[0]).toMatchObject({ body: 'a {}', headers: { 'content-type': 'text/css' } });
  });

  it.each([
    ['body and file', { body: 'x', file: { base64: 'RVZJTA==', name: 'x' } }, '`body` and by `file`'],
    ['no body and a file', { body: null, file: { base64: 'RVZJTA==', name: 'x' } }, '`body` and by `file`'],
    ['one parameter', { query: { b: 1, a: 2 } }, '"a" is given twice, by `url` and by `query`'],
    ['one parameter in another case', { query: { A: 2 } }, '"A" is given twice'],
  ])('sends nothing if two inputs give one part of the request: %s', async (_name, fields, text) => {
    const { server } = await testVendor(() => ({ status: 204 }));
    expect(await send({ method: 'POST', url: `${server.url}/x?a=1`, ...fields })).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(text) as string,
    });
    expect(server.requests).toEqual([]);
  });

  it('sends a string body as it is, with the content type of a header', async () => {
    const { server } = await testVendor(() => ({ status: 204 }));
    const headers = { 'Content-Type': 'application/xml' };
    const outcome = await send({ method: 'PUT', url: server.url, headers, body: '<a/>' });
    expect(outcome).toMatchObject({ output: { status: 204, body: null } });
    expect(server.requests[0]).toMatchObject({
      headers: { 'content-type': 'application/xml' },
      body: '<a/>',
    });
  });

  it.each([
    ['an error', { status: 500, body: { e: 1 } }, { status: 500, body: { e: 1 } }],
    [
      'a refusal',
      { status: 401, headers: { 'content-type': 'text/html' }, body: '<p>' },
      { status: 401, body: '<p>' },
    ],
    ['bytes', { body: new Uint8Array([0xff, 0xd8]) }, { status: 200, body: { base64: '/9g=' } }],
    ['text', { headers: { 'content-type': 'text/plain' }, body: 'hi' }, { status: 200, body: 'hi' }],
  ])('returns any status and type: %s', async (_name, response, output) => {
    const { server } = await testVendor(() => response);
    expect(await send({ url: server.url })).toMatchObject({ isSuccess: true, output });
  });

  it('sends the credential below the base URL, and never a caller’s header in its place', async () => {
    const { server } = await testVendor(() => ({ body: {} }));
    const credential = { baseUrl: `${server.url}/api`, token: 'tok' };
    await send({ url: 'things', headers: { Authorization: 'Basic mine' } }, bearer, credential);
    expect(server.requests[0]).toMatchObject({
      path: '/api/things',
      headers: { authorization: 'Bearer tok' },
    });
  });

  it('sends nothing outside the base URL', async () => {
    const { server } = await testVendor(() => ({ body: {} }));
    const credential = { baseUrl: `${server.url}/api`, token: 'tok' };
    for (const url of [`${server.url}/other`, '../other', 'https://example.com/']) {
      expect(await send({ url }, bearer, credential)).toMatchObject({
        isSuccess: false,
        errorMessage: 'The URL must be below the base URL of the connection.',
      });
    }
    expect(server.requests).toEqual([]);
  });

  it('takes a 401 to an access token for a refusal of it, so that it is renewed', async () => {
    const { server } = await testVendor(() => ({ status: 401, body: { code: 'expired' } }));
    const scheme = defineOAuth2Scheme({ grant: 'clientCredentials', tokenUrl: `${server.url}/token` });
    const credential = { ...testCredential({ baseUrl: server.url }), accessToken: 'stale-token' };
    const call = testCall(tool, { connector, method: testMethod(scheme), credential, fields: { url: '/' } });
    expect(await testRuntime(connectorHandlers).execute(call, testOptions())).toMatchObject({
      isSuccess: false,
      isUnauthorized: true,
      errorMessage: 'The API refused the access token (401).',
    });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer stale-token');
  });

  it('returns a redirect instead of following it with the credential', async () => {
    const other = await testVendor(() => ({ body: {} }));
    const { server } = await testVendor(({ path }) => ({
      status: 302,
      headers: { location: path === '/api/far' ? other.server.url : '/outside' },
    }));
    const credential = { baseUrl: `${server.url}/api`, token: 'tok' };
    expect(await send({ url: 'far' }, bearer, credential)).toMatchObject({
      output: { status: 302, headers: { location: other.server.url } },
    });
    expect(await send({ url: 'near' }, bearer, credential)).toMatchObject({ output: { status: 302 } });
    expect(other.server.requests).toEqual([]);
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/far', '/api/near']);
  });

  it.each([
    ['16 KiB of headers', { 'x-long': 'y'.repeat(17_000) }],
    ['1000 headers', manyHeaders(1_100)],
  ])('refuses a response with more than %s, and sends the request once', async (bound, headers) => {
    const { server } = await testVendor(() => ({ headers }));
    const outcome = await send({ url: server.url });
    expect(outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(`sent more than ${bound}`) as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('refuses a response above 1 MiB', async () => {
    const { server } = await testVendor(() => ({ body: new Uint8Array(1024 * 1024 + 1) }));
    expect(await send({ url: server.url })).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringMatching(/^The response of .* is larger than 1 MiB\.$/) as string,
    });
  });

  it.each([
    [{ url: 'http://10.0.0.1/' }, 'not allowed'],
    [{ url: 'http://127.0.0.1:1/' }, 'could not be reached'],
    [{ url: 'nowhere' }, 'absolute'],
    [{ method: 'GET', url: 'http://127.0.0.1:1/', body: 'x' }, 'has no body'],
    [{ url: 'http://127.0.0.1:1/', headers: { Host: 'x' } }, 'cannot be set'],
    [{ url: 'http://127.0.0.1:1/', headers: { 'x-a': 'b\r\nc: d' } }, 'characters'],
    [{ url: 'http://127.0.0.1:1/', headers: manyHeaders(101) }, 'at most 100 headers'],
    [{ url: 'http://127.0.0.1:1/', query: { a: Array<number>(70_000).fill(1) } }, 'at most 65536 characters'],
  ])('fails with a message for people: %j', async (fields, text) => {
    expect(await send(fields)).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(text) as string,
    });
  });
});
