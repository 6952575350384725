import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { verifyWebhook } from '@fairlead/sdk';
import { systemClock } from '@fairlead/service-kit/clock';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { newSigningSecret } from '@fairlead/webhook-signature/signing-secret';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SignedRequest, Target } from '../ports/sender.ts';
import { target } from '../testing/deliveries.ts';
import { createRequestSender } from './request-sender.ts';

/** Shorter than in production, because timeout tests wait for it. */
const SHORT_MS = 500;
/** For all other tests: longer than any delay of a busy machine. */
const LONG_MS = 60_000;
// So long that the connection is still open at the next request.
const KEPT_ALIVE_MS = 60_000;

async function receiver(listener: RequestListener) {
  const server = createServer({ keepAliveTimeout: KEPT_ALIVE_MS }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { server, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/` };
}

function sender({ allow = ['127.0.0.1'], deadlineMs = LONG_MS } = {}) {
  const log = createLogger({ service: 'test', level: 'silent' });
  const egress = createGuardedEgress({ allow, userAgent: 'test', log });
  onTestFinished(() => egress.close());
  const send = createRequestSender({ egress, clock: systemClock, deadlineMs });
  return (url: string, attempt = 1, o: Partial<SignedRequest> = {}) =>
    send({
      target: target({ url }),
      renew: () => Promise.reject(new Error('The target was read again.')),
      eventId: 'te_1',
      triggerId: 'trg_1',
      body: Buffer.from('{}'),
      attempt,
      ...o,
    });
}

const rotated = (url: string) => target({ url, secret: newSigningSecret() });

const isSignedFor = ({ headers }: IncomingMessage, { secret }: Target): boolean => {
  const signature = String(headers['fairlead-signature']);
  try {
    verifyWebhook(Buffer.from('{}'), signature, secret.reveal(), { toleranceSeconds: 300 });
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['never answers', () => undefined],
  ['does not end the body of its 200', (_, response) => void response.writeHead(200).write('a')],
] as [string, RequestListener][])('a receiver that %s is a timeout', async (_, listener) => {
  const { url } = await receiver(listener);
  const send = sender({ deadlineMs: SHORT_MS });
  expect(await send(url)).toMatchObject({ verdict: 'retryable', statusCode: null, error: 'timeout' });
});

test('beyond 64 KiB of a body its status counts, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const { url } = await receiver((_, response) => {
    response.writeHead(200);
    const piece = Buffer.alloc(16 * 1024);
    const writeOn = (): void => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', writeOn);
    };
    response.once('close', () => closed.resolve());
    writeOn();
  });
  expect(await sender()(url)).toMatchObject({ verdict: 'delivered', statusCode: 200 });
  await closed.promise;
});

test('nothing is decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  const { url } = await receiver((request, response) => {
    expect(request.headers['accept-encoding']).toBeUndefined();
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  expect(await sender()(url)).toMatchObject({ verdict: 'delivered' });
});

test('an address that is not public is not called, and its code names no address', async () => {
  let calls = 0;
  const { url } = await receiver((_, response) => {
    calls += 1;
    response.end();
  });
  expect(await sender({ allow: [] })(url)).toMatchObject({ verdict: 'retryable', error: 'address_blocked' });
  expect(calls).toBe(0);
});

test('a refused connection has its own code', async () => {
  expect(await sender()('http://127.0.0.1:1/')).toMatchObject({ error: 'connection_refused' });
});

test('a kept-alive connection that is lost before it answers is replaced, in the same attempt', async () => {
  const { url, received } = await staleReceiver();
  const send = sender();
  expect(await send(url, 1)).toMatchObject({ verdict: 'delivered' });
  const next = rotated(url);
  expect(await send(url, 2, { renew: () => Promise.resolve(next) })).toMatchObject({ verdict: 'delivered' });
  expect(received.map(({ headers }) => headers['fairlead-attempt'])).toEqual(['1', '2', '2']);
  expect(received.map((request) => isSignedFor(request, next))).toEqual([false, false, true]);
});

test('it is not sent again to a destination that may not be called any more, or cannot be read', async () => {
  const gone = () => Promise.resolve(undefined);
  const unread = () => Promise.reject(new Error('away'));
  for (const renew of [gone, unread]) {
    const { url, received } = await staleReceiver();
    const send = sender();
    await send(url, 1);
    expect(await send(url, 2, { renew })).toMatchObject({ error: 'connection_reset' });
    expect(received).toHaveLength(2);
  }
});

test('a request whose connection took longer than its target is current is signed anew, on that connection', async () => {
  const received: IncomingMessage[] = [];
  const { server, url } = await receiver((request, response) => {
    received.push(request);
    response.end();
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const old = target({ url, isCurrent: () => false });
  const next = rotated(url);
  const outcome = await sender()(url, 1, { target: old, renew: () => Promise.resolve(next) });
  expect(outcome).toMatchObject({ verdict: 'delivered' });
  expect(received.map((request) => isSignedFor(request, next))).toEqual([true]);
  expect(connections).toBe(1);
});

test('nothing is sent if it may not be called by then', async () => {
  const { url } = await receiver(() => expect.unreachable());
  const old = target({ url, isCurrent: () => false });
  const renew = () => Promise.resolve(undefined);
  expect(await sender()(url, 1, { target: old, renew })).toBeUndefined();
  await expect(sender()(url, 1, { target: old })).rejects.toThrow('The target was read again.');
});

test('nothing is begun without time for its answer', async () => {
  const { url } = await receiver(() => expect.unreachable());
  const old = target({ url, isCurrent: () => false });
  const late = performance.now() + SHORT_MS;
  const renew = async () => {
    await vi.waitUntil(() => performance.now() > late, { timeout: LONG_MS, interval: 10 });
    return rotated(url);
  };
  expect(await sender({ deadlineMs: SHORT_MS })(url, 1, { target: old, renew })).toBeUndefined();
});

/** A server whose first connection serves one request, and is closed when the next request arrives. */
async function staleReceiver() {
  const received: IncomingMessage[] = [];
  const { url } = await receiver((request, response) => {
    received.push(request);
    if (received.length === 2) request.socket.destroy();
    else request.resume().on('end', () => response.end());
  });
  return { url, received };
}
