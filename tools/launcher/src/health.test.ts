import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { untilOk, untilServing } from './health.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Answers one after the other, then the last again and again. */
function inTurn(answers: readonly { status: number; body: string }[]): {
  listener: RequestListener;
  asked: () => number;
} {
  let count = 0;
  return {
    listener: (_request, response) => {
      const answer = answers[Math.min(count, answers.length - 1)];
      count += 1;
      response.writeHead(answer?.status ?? 500).end(answer?.body);
    },
    asked: () => count,
  };
}

test('waits for a service until it reports SERVING', async () => {
  const { listener, asked } = inTurn([
    { status: 503, body: 'not yet' },
    { status: 200, body: '{"status":"NOT_SERVING"}' },
    { status: 200, body: '{"status":"SERVING"}' },
  ]);
  await untilServing(await serve(listener), AbortSignal.timeout(90_000));
  expect(asked()).toBe(3);
});

test('waits for an address until it returns 2xx', async () => {
  const { listener, asked } = inTurn([
    { status: 503, body: '' },
    { status: 200, body: 'ok' },
  ]);
  await untilOk(await serve(listener), AbortSignal.timeout(90_000));
  expect(asked()).toBe(2);
});

test('the wait ends when the signal aborts', async () => {
  const { listener } = inTurn([{ status: 503, body: '' }]);
  const controller = new AbortController();
  const waiting = untilOk(await serve(listener), controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('aborted');
});
