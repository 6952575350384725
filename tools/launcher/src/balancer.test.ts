import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBalancer } from './balancer.ts';

/** A replica that answers with its name, and with the readiness set by the test. */
async function startReplica(name: string) {
  const state = { isReady: true };
  const server = createServer((asked, response) => {
    if (asked.url === '/readyz') response.statusCode = state.isReady ? 200 : 503;
    response.end(name);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  return { state, stop, port: (server.address() as AddressInfo).port };
}

async function startBoth() {
  const [a, b] = [await startReplica('a'), await startReplica('b')];
  const balancer = await startBalancer({ port: 0, targets: [a.port, b.port] });
  onTestFinished(() => balancer.stop());
  /** Which replica answers, over a new connection or a kept one. */
  const ask = async (agent?: Agent): Promise<string> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: balancer.port, agent: agent ?? false }, resolve);
      sent.on('error', reject).end();
    });
    return text(response);
  };
  /** The replicas that answer two new connections, sorted. */
  const askers = async () => [await ask(), await ask()].toSorted().join('');
  await vi.waitUntil(async () => (await askers().catch(() => '')) === 'ab', { timeout: 90_000 });
  return { a, b, balancer, ask, askers };
}

test('connections go to the ready replicas in turn', async () => {
  const { askers } = await startBoth();
  expect([await askers(), await askers()]).toEqual(['ab', 'ab']);
});

test('a replica that is not ready gets no new connection, and keeps its existing ones', async () => {
  const { a, b, ask, askers } = await startBoth();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const first = await ask(agent);
  const [its, other] = first === 'a' ? [a, 'b'] : [b, 'a'];
  its.state.isReady = false;
  await vi.waitUntil(async () => (await askers()) === other + other, { timeout: 90_000 });
  expect(await ask(agent)).toBe(first);
  its.state.isReady = true;
  await vi.waitUntil(async () => (await askers()) === 'ab', { timeout: 90_000 });
});

test('a replica that is gone costs no connection', async () => {
  const { a, askers } = await startBoth();
  a.stop();
  expect(await askers()).toBe('bb');
});

test('a connection is reset if no replica is ready', async () => {
  const { a, b, ask } = await startBoth();
  for (const { state } of [a, b]) state.isReady = false;
  const outcome = () => ask().then(String, (error: unknown) => (error instanceof Error ? error.message : ''));
  await expect.poll(outcome).toContain('ECONNRESET');
});

test('a stop ends its connections and accepts no new ones', async () => {
  const { balancer, ask } = await startBoth();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await ask(agent);
  await balancer.stop();
  await expect(ask(agent)).rejects.toThrow('socket hang up');
  await expect(ask()).rejects.toThrow('ECONNREFUSED');
});
