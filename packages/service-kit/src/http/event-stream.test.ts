import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { EventStream } from './event-stream.ts';

/** A stream, and the text received by its client. */
async function setUp() {
  const opened = Promise.withResolvers<EventStream>();
  let closings = 0;
  const server = createServer((_request, response) => {
    opened.resolve(new EventStream(response, { retryMs: 300, onClose: () => void (closings += 1) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const client = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}`, { signal: client.signal });
  let text = '';
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  return {
    stream: await opened.promise,
    response,
    ended,
    text: () => text,
    closings: () => closings,
    client,
  };
}

test('events follow the headers and the pause before a new connection; JSON stays on one line', async () => {
  const { stream, response, text } = await setUp();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  stream.sendText({ event: 'endpoint', data: '/messages', id: 'i-1' });
  stream.sendJson('message', Buffer.from('{\n  "text": "a\\nb",\r\n  "é": 1\n}'));
  await expect.poll(() => stream.bufferedBytes).toBe(0);
  stream.keepAlive();
  await expect.poll(text).toContain('keep-alive');
  expect(text()).toBe(
    'retry: 300\n\nevent: endpoint\nid: i-1\ndata: /messages\n\nevent: message\ndata: {   "text": "a\\nb",    "é": 1 }\n\n: keep-alive\n\n',
  );
});

test('a stream that ends has sent everything, and says that it is closed', async () => {
  const { stream, ended, text, closings } = await setUp();
  const large = Buffer.from(JSON.stringify('x'.repeat(3_000_000)));
  stream.sendJson('message', large);
  stream.end();
  expect(stream.isOpen).toBe(false);
  await ended;
  expect(text().length).toBeGreaterThan(large.length);
  await expect.poll(closings).toBe(1);
});

test('a client that leaves closes the stream', async () => {
  const { stream, client, closings } = await setUp();
  expect(stream.isOpen).toBe(true);
  client.abort();
  await expect.poll(closings).toBe(1);
  expect(stream.isOpen).toBe(false);
});

test('a client that takes nothing gets no signs of life, and what it leaves is counted', async () => {
  const { stream } = await setUp();
  const large = Buffer.alloc(64 * 1024 * 1024, 'x');
  stream.sendJson('message', large);
  const before = stream.bufferedBytes;
  expect(before).toBeGreaterThan(0);
  stream.keepAlive();
  expect(stream.bufferedBytes).toBe(before);
  stream.cut();
  expect(stream.isOpen).toBe(false);
});
