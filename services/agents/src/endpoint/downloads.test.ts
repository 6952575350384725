import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairlead/service-kit/clock';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import { admitForwardedRequests } from '@fairlead/service-kit/http/passed-on';
import { callHttp, startHttpService } from '@fairlead/service-kit/testing/http';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openReleaseFolder } from '../releases/release-folder.ts';
import { releaseDownloads } from './downloads.ts';

const FILE = 'fairlead-agent-1.0.0-linux-x64';
const BYTES = 64 * 1024 * 1024;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-downloads-'));
  await writeFile(join(folder, FILE), Buffer.alloc(BYTES));
  await writeFile(join(folder, 'SHA256SUMS'), `${'a'.repeat(64)}  ${FILE}\n`);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function start(o: { readonly idleMs?: number } = {}) {
  const scope = { audience: 'agents', keys: testCallerKeys } as const;
  const service = await startHttpService({
    admit: admitForwardedRequests({ ...scope, clock: systemClock, admitsUsers: false }),
    mounts: [releaseDownloads(openReleaseFolder(folder), o)],
  });
  // Closed before the service, which waits for open downloads.
  const open: IncomingMessage[] = [];
  onTestFinished(() => {
    for (const response of open) response.destroy();
    return service.close();
  });
  const headersOf = (clientAddress: string) => {
    const caller = { kind: 'service', service: 'gateway', clientAddress } as const;
    return { [CALLER_HEADER]: signCaller(caller, scope, systemClock.now()) };
  };
  return {
    /** Starts a download and does not read its body. */
    begin: async (clientAddress: string): Promise<IncomingMessage> => {
      const request = get(`${service.url}/downloads/${FILE}`, {
        headers: headersOf(clientAddress),
        agent: false,
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      open.push(response);
      response.on('error', () => undefined);
      return response;
    },
    head: (clientAddress: string) =>
      callHttp(service, 'HEAD', `/downloads/${FILE}`, { headers: headersOf(clientAddress) }),
  };
}

test('one address has few downloads at once, others have theirs, and an ended one makes room', async () => {
  const { begin, head } = await start();
  const open = await Promise.all(Array.from({ length: 5 }, () => begin('192.0.2.1')));
  expect(open.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
  const refused = await head('192.0.2.1');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await head('192.0.2.2')).status).toBe(200);
  open[0]?.destroy();
  await expect.poll(async () => (await head('192.0.2.1')).status, { timeout: 90_000 }).toBe(200);
});

test('downloads whose client takes nothing end, and make room', async () => {
  const { begin, head } = await start({ idleMs: 50 });
  await Promise.all(Array.from({ length: 5 }, () => begin('192.0.2.1')));
  await expect.poll(async () => (await head('192.0.2.1')).status, { timeout: 90_000 }).toBe(200);
});

test('a release whose manifest cannot be read is none', async () => {
  const releases = openReleaseFolder(folder);
  const installer = { file: FILE, sha256: hash('sha256', ''), sizeBytes: BYTES };
  const manifest = JSON.stringify({
    version: '1.0.0',
    releasedAt: '2026-11-29T09:00:00.000Z',
    installers: { 'linux-x64': installer },
  });
  for (const text of [manifest.slice(0, -9), '{}', '']) {
    await writeFile(join(folder, 'manifest.json'), text);
    expect(await releases.findInstaller('linux-x64')).toBeUndefined();
  }
  await writeFile(join(folder, 'manifest.json'), manifest);
  expect(await releases.findInstaller('linux-x64')).toMatchObject(installer);
  expect(await releases.findInstaller('constructor')).toBeUndefined();
});
