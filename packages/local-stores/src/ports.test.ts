import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, isPortFree, waitForPort } from './ports.ts';

async function listen(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

test('a free port can be listened on, and is not free while a server listens on it', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  await listen(port);
  expect(await isPortFree(port)).toBe(false);
});

test('waiting for a port ends when a server listens', async () => {
  const port = await freePort();
  const waiting = waitForPort(port, AbortSignal.timeout(90_000));
  await listen(port);
  await expect(waiting).resolves.toBeUndefined();
});

test('waiting for a port ends when the signal aborts', async () => {
  const controller = new AbortController();
  const waiting = waitForPort(await freePort(), controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('aborted');
});
