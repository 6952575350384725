import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { get, testEgress, serveHttp } from './testing/open-egress.ts';

const never = new AbortController().signal;

const ok: RequestListener = (_, response) => void response.end('ok');

describe('addresses', () => {
  it.each([
    ['http://127.0.0.1:PORT'],
    ['http://localhost:PORT'],
    ['http://localhost.:PORT'],
    ['http://2130706433:PORT'],
    ['http://0x7f.1:PORT'],
    ['http://0177.0.0.1:PORT'],
    ['http://127.1:PORT'],
    ['http://0.0.0.0:PORT'],
    ['http://[::1]:PORT'],
    ['http://[::ffff:127.0.0.1]:PORT'],
    ['http://[64:ff9b::127.0.0.1]:PORT'],
    ['http://169.254.169.254/latest/meta-data'],
  ])('%s is blocked by request, fetch and openSocket alike', async (template) => {
    const server = await serveHttp(ok);
    const url = template.replace('PORT', String(server.port));
    const closed = testEgress({ allow: [] });
    await expect(closed.request(get(url))).rejects.toMatchObject({
      name: 'EgressError',
      code: 'address_blocked',
    });
    await expect(closed.createFetch()(url)).rejects.toMatchObject({ code: 'address_blocked' });
    const { hostname, port } = new URL(url);
    await expect(closed.openSocket(hostname, Number(port || 80), never)).rejects.toMatchObject({
      code: 'address_blocked',
    });
    expect(server.connections()).toBe(0);
    expect(closed.logText()).toContain('refused to connect to a blocked address');
  });

  it('a name that resolves to a private address is blocked and the message keeps the address to itself', async () => {
    const server = await serveHttp(ok);
    const closed = testEgress({ allow: [], resolve: () => Promise.resolve(['127.0.0.1']) });
    const error: unknown = await closed
      .request(get(`http://crm.example:${server.port}`))
      .catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'address_blocked',
      message: 'Calls to crm.example are not allowed: it is not a public address.',
    });
    expect(String(error)).not.toContain('127.0.0.1');
    expect(server.connections()).toBe(0);
  });

  it('of several addresses only the allowed ones are connected to', async () => {
    const server = await serveHttp(ok);
    const open = testEgress({
      allow: ['127.0.0.1'],
      resolve: () => Promise.resolve(['127.0.0.2', '::1', '127.0.0.1']),
    });
    expect((await open.request(get(`http://crm.example:${server.port}`))).status).toBe(200);
  });

  it('a name that is rebound between look-ups never reaches an unchecked address', async () => {
    const server = await serveHttp((_, response) => {
      response.setHeader('connection', 'close');
      response.end('ok');
    });
    // The first DNS answer is a public address, each later one is not: classic DNS rebinding.
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    let lookUps = 0;
    const open = testEgress({
      allow: ['127.0.0.1'],
      resolve: () => Promise.resolve(answers[lookUps++] ?? []),
    });
    const url = `http://rebinding.example:${server.port}`;
    expect((await open.request(get(url))).status).toBe(200);
    expect(lookUps).toBe(1);
    await expect(open.request(get(url))).rejects.toMatchObject({ code: 'address_blocked' });
    await expect(open.openSocket('rebinding.example', server.port, never)).rejects.toMatchObject({
      code: 'address_blocked',
    });
    expect(server.connections()).toBe(1);
  });

  it('an opened host may be private, another at the same address may not', async () => {
    const server = await serveHttp(ok);
    const open = testEgress({
      allow: [`crm.internal:${server.port}`],
      resolve: () => Promise.resolve(['127.0.0.1']),
    });
    expect((await open.request(get(`http://crm.internal:${server.port}`))).status).toBe(200);
    await expect(open.request(get(`http://other.internal:${server.port}`))).rejects.toMatchObject({
      code: 'address_blocked',
    });
  });
});

describe('URLs', () => {
  it.each([
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'not a url',
    'http://user:pass@127.0.0.1',
    'http://token@127.0.0.1',
  ])('%s is refused', async (url) => {
    const open = testEgress();
    await expect(open.request(get(url))).rejects.toMatchObject({ code: 'invalid_url' });
    await expect(open.createFetch()(url)).rejects.toMatchObject({ code: 'invalid_url' });
  });
});

describe('a request', () => {
  it('sends method, headers and body, and returns the whole response', async () => {
    const server = await serveHttp((request, response) => {
      void text(request).then((body) => {
        response.writeHead(201, { 'X-Two': ['a', 'b'], 'content-type': 'text/plain' });
        return response.end(
          `${request.method} ${String(request.headers['x-key'])} ${request.headers['user-agent']} ${body}`,
        );
      });
    });
    const answer = await testEgress().request(
      get(`${server.url}/path?q=1`, { method: 'PATCH', headers: { 'X-Key': 'k' }, body: 'hello' }),
    );
    expect(answer).toMatchObject({
      status: 201,
      url: `${server.url}/path?q=1`,
      headers: { 'x-two': 'a, b' },
    });
    expect(Buffer.from(answer.body).toString()).toBe('PATCH k Fairlead/test hello');
  });

  it('keeps its own user agent', async () => {
    const server = await serveHttp((request, response) => void response.end(request.headers['user-agent']));
    const { body } = await testEgress().request(get(server.url, { headers: { 'User-Agent': 'own' } }));
    expect(Buffer.from(body).toString()).toBe('own');
  });

  it('decodes a body that was encoded without a request', async () => {
    const server = await serveHttp(
      (_, response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync('plain')),
    );
    expect(Buffer.from((await testEgress().request(get(server.url))).body).toString()).toBe('plain');
  });

  it('decodes no body if the response has none', async () => {
    const server = await serveHttp(
      (_, response) => void response.setHeader('content-encoding', 'gzip').end(),
    );
    expect((await testEgress().request(get(server.url, { method: 'HEAD' }))).body).toHaveLength(0);
  });

  it.each([
    ['plain', (response: ServerResponse) => void response.end(Buffer.alloc(2_000))],
    [
      'a small gzip of much',
      (response: ServerResponse) =>
        void response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(1_000_000))),
    ],
    [
      'endless',
      (response: ServerResponse) => {
        const write = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', write);
        write();
      },
    ],
  ])('ends at the size cap: %s', async (_, answer) => {
    const server = await serveHttp((_request, response) => answer(response));
    await expect(testEgress().request(get(server.url, { maxResponseBytes: 1_999 }))).rejects.toMatchObject({
      code: 'response_too_large',
    });
  });

  it('returns the beginning of a body as it was sent, without asking for an encoding', async () => {
    const sent = gzipSync('plain'.repeat(1_000));
    const asked: (string | undefined)[] = [];
    const server = await serveHttp((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.setHeader('content-encoding', 'gzip').end(sent);
    });
    const open = testEgress();
    for (const [maxResponseBytes, length, isTruncated] of [
      [10, 10, true],
      [sent.length - 1, sent.length - 1, true],
      [sent.length, sent.length, false],
    ] as const) {
      const answer = await open.request(get(server.url, { responseBody: 'beginning', maxResponseBytes }));
      expect(answer).toMatchObject({ status: 200, isTruncated, body: sent.subarray(0, length) });
    }
    expect(asked).toEqual([undefined, undefined, undefined]);
  });

  it('ends at the size cap of headers', async () => {
    const server = await serveHttp((_, response) => void response.setHeader('x-a', 'y'.repeat(17_000)).end());
    await expect(testEgress().request(get(server.url))).rejects.toMatchObject({ code: 'headers_too_large' });
  });

  it.each([
    ['no answer', () => {}],
    ['a body that does not end', (_: IncomingMessage, response: ServerResponse) => void response.write('a')],
  ])('ends at its total deadline: %s', async (_, listener) => {
    const server = await serveHttp(listener);
    await expect(testEgress().request(get(server.url, { timeoutMs: 100 }))).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('the deadline covers the name look-up', async () => {
    const slow = testEgress({ resolve: () => new Promise(() => {}) });
    await expect(slow.request(get('http://slow.example', { timeoutMs: 50 }))).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it.each([
    ['the caller gives up', undefined, 'aborted'],
    ['its time is over', new DOMException('Too late.', 'TimeoutError'), 'timeout'],
  ])('without a deadline of its own, ends with its signal: %s', async (_, reason, code) => {
    const abort = new AbortController();
    const server = await serveHttp(() => abort.abort(reason));
    const request = { method: 'GET', url: server.url, signal: abort.signal };
    await expect(testEgress().request(request)).rejects.toMatchObject({ code });
  });
});

describe('each failure of the other side has its own code', () => {
  it('refused', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const open = testEgress();
    await expect(open.request(get(`http://127.0.0.1:${port}`))).rejects.toMatchObject({
      code: 'connection_refused',
    });
    await expect(open.openSocket('127.0.0.1', port, never)).rejects.toMatchObject({
      code: 'connection_refused',
    });
  });

  it('reset, also in the middle of the body', async () => {
    const before = await serveHttp((request) => request.socket.destroy());
    await expect(testEgress().request(get(before.url))).rejects.toMatchObject({ code: 'connection_reset' });
    const during = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('abc', () => response.destroy());
    });
    await expect(testEgress().request(get(during.url))).rejects.toMatchObject({ code: 'connection_reset' });
  });

  it('plain HTTP where TLS is expected', async () => {
    const server = await serveHttp(ok);
    await expect(testEgress().request(get(server.url.replace('http:', 'https:')))).rejects.toMatchObject({
      code: 'tls',
    });
  });

  it('a header that cannot be sent', async () => {
    const server = await serveHttp(ok);
    await expect(
      testEgress().request(get(server.url, { headers: { a: 'b\r\nc: d' } })),
    ).rejects.toMatchObject({
      code: 'invalid_url',
    });
  });
});

/** `/301` and similar paths redirect to /end, which echoes method, body and the content type; `/away` redirects to another origin. */
const redirecting: RequestListener = (request, response) => {
  const path = request.url ?? '';
  void text(request).then((body) => {
    if (path === '/end')
      return response.end(`${request.method} ${body} ${request.headers['content-type'] ?? '-'}`);
    if (path === '/loop') return response.writeHead(302, { location: '/loop' }).end();
    if (path === '/away') return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    if (path === '/broken') return response.writeHead(302, { location: 'http://[' }).end();
    return response.writeHead(Number(path.slice(1)), { location: '/end' }).end();
  });
};

describe('redirects', () => {
  it.each([
    [301, 'POST', 'GET  -'],
    [302, 'POST', 'GET  -'],
    [303, 'PUT', 'GET  -'],
    [301, 'PUT', 'PUT body text/x'],
    [307, 'POST', 'POST body text/x'],
    [308, 'PATCH', 'PATCH body text/x'],
  ])('%i of a %s ends as %s', async (status, method, expected) => {
    const server = await serveHttp(redirecting);
    const options = { method, headers: { 'content-type': 'text/x' }, body: 'body' };
    const answer = await testEgress().request(get(`${server.url}/${status}`, options));
    expect(Buffer.from(answer.body).toString()).toBe(expected);
    expect(answer.url).toBe(`${server.url}/end`);
    const fetched = await testEgress().createFetch()(`${server.url}/${status}`, options);
    expect(await fetched.text()).toBe(expected);
  });

  it.each(['/away', '/loop', '/broken'])('%s is not followed', async (path) => {
    const server = await serveHttp(redirecting);
    await expect(testEgress().request(get(server.url + path))).rejects.toMatchObject({ code: 'redirect' });
    await expect(testEgress().createFetch()(server.url + path)).rejects.toMatchObject({
      code: 'redirect',
    });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('%i is the response if redirects are off', async (status) => {
    const server = await serveHttp((_, response) => response.writeHead(status, { location: '/end' }).end());
    const answer = await testEgress().request(get(server.url, { redirect: 'manual', method: 'POST' }));
    expect(answer).toMatchObject({ status, headers: { location: '/end' }, url: `${server.url}/` });
    expect(server.connections()).toBe(1);
  });

  it('fetch honours redirect: manual and redirect: error', async () => {
    const server = await serveHttp(redirecting);
    const open = testEgress();
    expect((await open.createFetch()(`${server.url}/away`, { redirect: 'manual' })).status).toBe(302);
    await expect(open.createFetch()(`${server.url}/301`, { redirect: 'error' })).rejects.toMatchObject({
      code: 'redirect',
    });
  });
});

describe('fetch', () => {
  it('takes a URL, a Request and global Headers', async () => {
    const server = await serveHttp((request, response) => {
      void text(request).then((body) =>
        response.end(`${request.method} ${String(request.headers['x-a'])} ${body}`),
      );
    });
    const open = testEgress();
    const init = { method: 'POST', headers: new Headers({ 'x-a': '1' }), body: 'b' };
    expect(await (await open.createFetch()(new URL(server.url), init)).text()).toBe('POST 1 b');
    expect(await (await open.createFetch()(new Request(server.url, init))).text()).toBe('POST 1 b');
    expect(
      await (await open.createFetch()(server.url, { ...init, body: new URLSearchParams({ q: 'x' }) })).text(),
    ).toBe('POST 1 q=x');
  });

  it('streams: the first event arrives while the response continues', async () => {
    const server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
    });
    const abort = new AbortController();
    const response = await testEgress().createFetch()(server.url, { signal: abort.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: 'data: one\n\n' });
    abort.abort();
    await expect(reader?.read()).rejects.toThrow('aborted');
  });

  it('rejects with the reason of the abort, as any fetch', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const server = await serveHttp(() => abort.abort(reason));
    await expect(testEgress().createFetch()(server.url, { signal: abort.signal })).rejects.toBe(reason);
  });
});

describe('openSocket', () => {
  it('gives a connected socket', async () => {
    const server = net.createServer((socket) => void socket.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const socket = await testEgress().openSocket('localhost', (server.address() as AddressInfo).port, never);
    expect(await text(socket)).toBe('hello');
  });

  it('ends when the caller gives up', async () => {
    const waiting = testEgress({
      resolve: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('cancelled'))),
        ),
    });
    const abort = new AbortController();
    const socket = waiting.openSocket('slow.example', 80, abort.signal);
    abort.abort();
    await expect(socket).rejects.toMatchObject({ code: 'aborted' });
  });
});

it('an invalid allow-list entry stops the boot', () => {
  expect(() => testEgress({ allow: ['http://localhost'] })).toThrow('http://localhost');
});
