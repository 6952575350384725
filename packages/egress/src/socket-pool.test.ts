import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { EgressError } from './error.ts';
import { get, testEgress, serveBytes, serveHttp } from './testing/open-egress.ts';

const ok: RequestListener = (_, response) => void response.end('ok');

/** A server that answers when the test tells it to. */
function holding(): { listener: RequestListener; held: ServerResponse[]; release: () => void } {
  const held: ServerResponse[] = [];
  return {
    listener: (_, response) => void held.push(response),
    held,
    release: () => {
      for (const response of held.splice(0)) response.end('ok');
    },
  };
}

/** Every name resolves to this machine, as with an attacker's wildcard DNS record. */
const wildcard = { resolve: () => Promise.resolve(['127.0.0.1']) };

describe('sockets', () => {
  it('one is kept alive and used again, by requests and fetches alike', async () => {
    const server = await serveHttp(ok);
    const egress = testEgress();
    for (let count = 0; count < 3; count += 1) {
      await egress.request(get(server.url));
      await (await egress.createFetch()(server.url)).text();
    }
    expect(server.connections()).toBe(1);
  });

  it('that took too long are kept for the next call: the one that waited for it does not begin', async () => {
    let calls = 0;
    const server = await serveHttp((request, response) => {
      calls += 1;
      ok(request, response);
    });
    const egress = testEgress();
    const late = egress.request(get(server.url, { mayBegin: () => false }));
    await expect(late).rejects.toMatchObject({ code: 'not_begun', isKeptAliveLost: false });
    expect([calls, server.open()]).toEqual([0, 1]);
    await egress.request(get(server.url, { mayBegin: () => true }));
    expect([calls, server.connections()]).toEqual([1, 1]);
  });

  it('are limited per destination, over all hosts; further calls wait for their turn', async () => {
    const { listener, held, release } = holding();
    const server = await serveHttp(listener);
    const egress = testEgress({ ...wildcard, limits: { perDestination: 2 } });
    const call = (index: number, destination?: string): Promise<unknown> =>
      egress.request(
        get(`http://h${index}.example:${server.port}/`, destination === undefined ? {} : { destination }),
      );
    const calls = Array.from({ length: 6 }, (_, index) => call(index, 'one account'));
    await vi.waitUntil(() => held.length === 2, { timeout: 90_000 });
    // Calls of another account, and calls without an account, do not wait for the account at its limit.
    const others = [call(6, 'another account'), call(7)];
    await vi.waitUntil(() => held.length === 4, { timeout: 90_000 });
    expect(server.open()).toBe(4);
    for (const left of [4, 2, 2]) {
      await vi.waitUntil(() => held.length === left, { timeout: 90_000 });
      release();
    }
    await Promise.all([...calls, ...others]);
  });

  it('are limited altogether; destinations take turns', async () => {
    const { listener, held, release } = holding();
    const server = await serveHttp(listener);
    const egress = testEgress({ ...wildcard, limits: { total: 2, perDestination: 2 } });
    const order: string[] = [];
    const call = async (destination: string): Promise<void> => {
      await egress.request(get(`http://${destination}.example:${server.port}/`, { destination }));
      order.push(destination);
    };
    const calls = ['busy', 'busy', 'busy', 'busy', 'busy', 'late'].map((name) => call(name));
    for (let round = 0; round < 3; round += 1) {
      await vi.waitUntil(() => held.length === 2, { timeout: 90_000 });
      expect(server.open()).toBeLessThanOrEqual(2);
      release();
    }
    await Promise.all(calls);
    expect(order.slice(0, 4)).toContain('late');
  });

  it('of thousands of hosts do not pile up: the one that was idle for the longest time is closed', async () => {
    const server = await serveHttp(ok);
    const egress = testEgress({ ...wildcard, limits: { idle: 5, total: 8 } });
    for (let index = 0; index < 40; index += 1) {
      await egress.request(get(`http://h${index}.example:${server.port}/`));
    }
    await vi.waitUntil(() => server.open() === 5, { timeout: 90_000 });
    expect(server.connections()).toBe(40);
    // The most recently used connections are still open.
    await egress.request(get(`http://h39.example:${server.port}/`));
    expect(server.connections()).toBe(40);
    await egress.request(get(`http://h0.example:${server.port}/`));
    expect(server.connections()).toBe(41);
  });

  it('idle ones make room for a new host when all are taken', async () => {
    const server = await serveHttp(ok);
    const egress = testEgress({ ...wildcard, limits: { total: 2 } });
    for (const name of ['a', 'b', 'c', 'd']) {
      expect((await egress.request(get(`http://${name}.example:${server.port}/`))).status).toBe(200);
    }
    await vi.waitUntil(() => server.open() === 2, { timeout: 90_000 });
  });

  it('a call that waits ends at its deadline and when it is cancelled', async () => {
    const { listener, held } = holding();
    const server = await serveHttp(listener);
    const egress = testEgress({ limits: { perDestination: 1 } });
    const first = egress.request(get(server.url, { timeoutMs: 5_000 })).catch((error: unknown) => error);
    await vi.waitUntil(() => held.length === 1, { timeout: 90_000 });
    await expect(egress.request(get(server.url, { timeoutMs: 50 }))).rejects.toMatchObject({
      code: 'timeout',
    });
    const abort = new AbortController();
    const cancelled = egress.request(get(server.url, { signal: abort.signal }));
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'aborted' });
    expect(server.connections()).toBe(1);
    held[0]?.end('ok');
    expect(await first).toMatchObject({ status: 200 });
  });

  it('no more calls wait than the limit', async () => {
    const { listener, held } = holding();
    const server = await serveHttp(listener);
    const egress = testEgress({ limits: { perDestination: 1, waiting: 1 } });
    const running = egress.request(get(server.url)).catch((error: unknown) => error);
    await vi.waitUntil(() => held.length === 1, { timeout: 90_000 });
    const waiting = egress.request(get(server.url)).catch((error: unknown) => error);
    await expect(egress.request(get(server.url))).rejects.toMatchObject({ code: 'sockets_exhausted' });
    await egress.close();
    expect(await running).toBeInstanceOf(EgressError);
    expect(await waiting).toMatchObject({ code: 'aborted' });
  });

  it('a call that ends while its name is looked up or its host is dialled gives its socket back', async () => {
    const server = await serveHttp(ok);
    const egress = testEgress({
      resolve: (host) => (host === 'silent.example' ? new Promise(() => {}) : Promise.resolve(['127.0.0.1'])),
      limits: { total: 1 },
    });
    const silent = egress.request(get('http://silent.example/', { timeoutMs: 50 }));
    await expect(silent).rejects.toMatchObject({ code: 'timeout' });
    expect((await egress.request(get(`http://a.example:${server.port}/`))).status).toBe(200);
  });

  it('an answer that is cut off or not wanted any more closes its socket', async () => {
    const server = await serveHttp((_, response) => void response.end('a'.repeat(100_000)));
    const egress = testEgress();
    const cut = await egress.request(get(server.url, { responseBody: 'beginning', maxResponseBytes: 10 }));
    expect(cut).toMatchObject({ status: 200, isTruncated: true });
    await vi.waitUntil(() => server.open() === 0, { timeout: 90_000 });
    expect((await egress.request(get(server.url))).isTruncated).toBe(false);
    expect(server.open()).toBe(1);
  });
});

describe('a kept-alive socket that is lost', () => {
  it('before a byte of the response says so, and a new connection can be asked for', async () => {
    let requests = 0;
    const server = await serveBytes((socket) => {
      requests += 1;
      // The second request on any connection is lost.
      if (requests === 2) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const egress = testEgress();
    await egress.request(get(server.url));
    await expect(egress.request(get(server.url))).rejects.toMatchObject({
      code: 'connection_reset',
      isKeptAliveLost: true,
    });
    await egress.request(get(server.url));
    await egress.request(get(server.url, { isNewConnection: true }));
    expect(server.connections()).toBe(3);
  });

  it('after the first byte, or on its first request, is an ordinary failure', async () => {
    let requests = 0;
    const server = await serveBytes((socket, path) => {
      requests += 1;
      if (path === '/first') socket.resetAndDestroy();
      else if (requests === 3) socket.write('HTTP/1.1 200', () => socket.destroy());
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const egress = testEgress();
    const ordinary = { code: 'connection_reset', isKeptAliveLost: false };
    await expect(egress.request(get(`${server.url}/first`))).rejects.toMatchObject(ordinary);
    await egress.request(get(server.url));
    await expect(egress.request(get(server.url))).rejects.toMatchObject(ordinary);
  });
});
