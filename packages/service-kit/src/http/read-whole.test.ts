import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readWhole } from './read-whole.ts';
import type { Pace } from './read-whole.ts';

const LARGE = { bytes: 1_000, admit: () => Promise.resolve() };
const MAX_BYTES = 1_000_000;

/** Sends the parts of a body without ending it; returns the result of reading it. */
async function read(pace: Pace, parts: readonly string[], length?: number): Promise<Buffer | undefined> {
  const outcome = Promise.withResolvers<Buffer | undefined>();
  const server = http
    .createServer((request) => {
      const { signal } = new AbortController();
      readWhole(request, { maxBytes: MAX_BYTES, signal, large: { ...LARGE, pace } }).then(
        outcome.resolve,
        outcome.reject,
      );
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const request = http.request({ host: '127.0.0.1', port, method: 'POST' });
  onTestFinished(() => {
    request.destroy();
    server.closeAllConnections();
    server.close();
  });
  request.on('error', () => undefined);
  if (length !== undefined) request.setHeader('content-length', length);
  for (const part of parts) request.write(part);
  if (parts.join('').length === length) request.end();
  return outcome.promise;
}

const FAST: Pace = { bytesPerSecond: 100_000, graceMs: 50 };
const tooSlow = { code: 'TIMEOUT', message: 'The body arrives too slowly.' };

describe('a large body', () => {
  it('of a stated length that stays away ends in TIMEOUT', async () => {
    await expect(read(FAST, ['x'], 2_000)).rejects.toMatchObject(tooSlow);
  });

  it('of an unknown length that stays away once it is large ends in TIMEOUT', async () => {
    await expect(read(FAST, ['x'.repeat(1_001)])).rejects.toMatchObject(tooSlow);
  });

  it('that arrives is returned', async () => {
    const body = 'x'.repeat(200_000);
    expect(String(await read({ ...FAST, graceMs: 10_000 }, [body], body.length))).toBe(body);
  });
});

it('a small body may take its time', async () => {
  const outcome = read({ bytesPerSecond: Infinity, graceMs: 1 }, ['x'], 2);
  const first = await Promise.race([outcome, read(FAST, ['x'], 2_000).catch(() => 'another one ended')]);
  expect(first).toBe('another one ended');
});
