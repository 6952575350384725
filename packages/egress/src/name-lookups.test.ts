import { describe, expect, it, vi } from 'vitest';
import { NameLookups } from './name-lookups.ts';
import { createResolver } from './resolver.ts';
import { startNameServer } from '@fairlead/service-kit/testing/name-server';
import type { NameAnswer, NameServer } from '@fairlead/service-kit/testing/name-server';
import { get, testEgress, serveHttp } from './testing/open-egress.ts';

const never = new AbortController().signal;

/** Lookups at a name server of the test, with a clock that stands still. */
async function lookupsAt(
  answer: (name: string) => NameAnswer,
): Promise<{ lookups: NameLookups; server: NameServer; pass: (ms: number) => void }> {
  const server = await startNameServer(answer);
  let now = 0;
  const lookups = new NameLookups({ servers: [server.address], now: () => now });
  return { lookups, server, pass: (ms) => void (now += ms) };
}

const found = (ttlSeconds: number, ...addresses: string[]): NameAnswer => ({ addresses, ttlSeconds });

describe('what a name server said', () => {
  it('is kept as long as it allows, with IPv4 before IPv6', async () => {
    const { lookups, server, pass } = await lookupsAt(() => found(10, '2001:db8:0:0:0:0:0:1', '192.0.2.1'));
    const addresses = ['192.0.2.1', '2001:db8::1'];
    expect(await lookups.resolve('a.example', never)).toEqual(addresses);
    pass(9_999);
    expect(await lookups.resolve('a.example', never)).toEqual(addresses);
    expect(server.asked).toEqual(['a.example']);
    pass(1);
    expect(await lookups.resolve('a.example', never)).toEqual(addresses);
    expect(server.asked).toEqual(['a.example', 'a.example']);
  });

  it('is kept for 30 seconds at most', async () => {
    const { lookups, server, pass } = await lookupsAt(() => found(86_400, '192.0.2.1'));
    for (const expected of [1, 1, 2]) {
      await lookups.resolve('a.example', never);
      expect(server.asked).toHaveLength(expected);
      pass(15_000);
    }
  });

  it('is not kept if it must not be', async () => {
    const { lookups, server } = await lookupsAt(() => found(0, '192.0.2.1'));
    await lookups.resolve('a.example', never);
    await lookups.resolve('a.example', never);
    expect(server.asked).toHaveLength(2);
  });

  it('is kept for 5 seconds if the name does not exist', async () => {
    const { lookups, server, pass } = await lookupsAt(() => 'missing');
    for (const expected of [1, 1, 2]) {
      const resolved = lookups.resolve('missing.example', never);
      await expect(resolved).rejects.toMatchObject({ code: 'dns_not_found' });
      expect(server.asked).toHaveLength(expected);
      pass(2_500);
    }
  });

  it('is not kept if it failed', async () => {
    const { lookups, server } = await lookupsAt(() => 'failed');
    await expect(lookups.resolve('a.example', never)).rejects.toMatchObject({ code: 'connection_failed' });
    const asked = server.asked.length;
    await expect(lookups.resolve('a.example', never)).rejects.toMatchObject({ code: 'connection_failed' });
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('is kept for a thousand names, of which the oldest makes room; missing ones take no room from others', async () => {
    const { lookups, server } = await lookupsAt((name) =>
      name.startsWith('m') ? 'missing' : found(30, '192.0.2.1'),
    );
    await lookups.resolve('first.example', never);
    for (let index = 0; index < 1_001; index += 1) {
      await lookups.resolve(`m${index}.example`, never).catch(() => undefined);
    }
    await lookups.resolve('first.example', never);
    expect(server.asked.filter((name) => name === 'first.example')).toHaveLength(1);
    for (let index = 0; index < 1_000; index += 1) await lookups.resolve(`f${index}.example`, never);
    await lookups.resolve('first.example', never);
    expect(server.asked.filter((name) => name === 'first.example')).toHaveLength(2);
  });

  it('is at most 16 addresses', async () => {
    const { lookups } = await lookupsAt(() =>
      found(1, ...Array.from({ length: 25 }, (_, index) => `192.0.2.${index}`)),
    );
    expect(await lookups.resolve('many.example', never)).toHaveLength(16);
  });
});

describe('a name that is looked up', () => {
  it('is asked for once, however many wait for it', async () => {
    const { lookups, server } = await lookupsAt(() => found(0, '192.0.2.1'));
    await Promise.all(Array.from({ length: 50 }, () => lookups.resolve('a.example', never)));
    expect(server.asked).toEqual(['a.example']);
  });

  it('goes on while somebody waits, and ends with the last one', async () => {
    let reply: NameAnswer = 'silent';
    const { lookups, server } = await lookupsAt(() => reply);
    const [first, second] = [new AbortController(), new AbortController()];
    const results = [first, second].map(({ signal }) => lookups.resolve('silent.example', signal));
    await vi.waitUntil(() => server.asked.length === 1, { timeout: 90_000 });
    first.abort();
    await expect(results[0]).rejects.toMatchObject({ code: 'aborted' });
    second.abort(new DOMException('too late', 'TimeoutError'));
    await expect(results[1]).rejects.toMatchObject({ code: 'timeout' });
    // The next look-up does not wait for one that was abandoned.
    reply = found(1, '192.0.2.1');
    expect(await lookups.resolve('silent.example', never)).toEqual(['192.0.2.1']);
  });

  it('does not hold up others, although many names get no answer', async () => {
    const { lookups } = await lookupsAt((name) =>
      name.startsWith('silent') ? 'silent' : found(30, '192.0.2.1'),
    );
    const abort = new AbortController();
    const silent = Array.from({ length: 80 }, (_, index) =>
      lookups.resolve(`silent${index}.example`, abort.signal).catch((error: unknown) => error),
    );
    let isAnySettled = false;
    void Promise.race(silent).then(() => (isAnySettled = true));
    expect(await lookups.resolve('a.example', never)).toEqual(['192.0.2.1']);
    expect(isAnySettled).toBe(false);
    abort.abort();
    await Promise.all(silent);
  });
});

it('addresses that are kept are checked for each connection', async () => {
  let answer = found(0, '127.0.0.1');
  const nameServer = await startNameServer(() => answer);
  const resolve = createResolver('/nowhere', new NameLookups({ servers: [nameServer.address] }));
  const server = await serveHttp((_, response) => response.writeHead(200, { connection: 'close' }).end());
  const egress = testEgress({ allow: ['127.0.0.1'], resolve });
  const url = `http://rebinding.example:${server.port}/`;
  expect((await egress.request(get(url))).status).toBe(200);
  answer = found(30, '127.0.0.2');
  for (let count = 0; count < 2; count += 1) {
    await expect(egress.request(get(url))).rejects.toMatchObject({ code: 'address_blocked' });
  }
  expect(server.connections()).toBe(1);
  expect(nameServer.asked).toHaveLength(2);
});
