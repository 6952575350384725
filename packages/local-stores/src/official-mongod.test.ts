import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FetchJob } from './fetch-progress.ts';
import { OFFICIAL_MONGOD_VERSION, fetchOfficialMongod } from './official-mongod.ts';
import { runCommand } from './run-command.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const CONTENT = '#!/bin/sh\necho official\n';
/** The download is a separate process, which starts slowly on a busy machine. */
const PATIENCE_MS = 60_000;

async function archive(): Promise<Buffer> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'mongodb', 'bin'), { recursive: true });
  await writeFile(join(folder, 'mongodb', 'bin', 'mongod'), CONTENT, { mode: 0o755 });
  expect(await runCommand('tar', ['czf', 'a.tgz', 'mongodb'], { cwd: folder })).toMatchObject({ code: 0 });
  return readFile(join(folder, 'a.tgz'));
}

/** A fetch whose download site is a server of this test. */
async function jobAt(listener: RequestListener): Promise<FetchJob> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = await temporaryFolder();
  const staging = join(folder, 'staging');
  await mkdir(staging);
  const environment = {
    ...process.env,
    MONGOMS_DOWNLOAD_MIRROR: `http://127.0.0.1:${String(port)}`,
    MONGOMS_USE_HTTP: '1',
  };
  return { staging, target: join(folder, 'cache', 'mongod'), environment, signal: undefined };
}

function serve(content: Buffer, md5: string): RequestListener {
  return (request, response) => {
    expect(request.url).toContain(OFFICIAL_MONGOD_VERSION);
    const body = request.url?.endsWith('.md5') === true ? Buffer.from(`${md5}  file.tgz\n`) : content;
    response.writeHead(200, { 'content-length': body.length }).end(body);
  };
}

test('the binary of the archive ends up at the target', async () => {
  const content = await archive();
  const job = await jobAt(serve(content, createHash('md5').update(content).digest('hex')));
  await fetchOfficialMongod(job, PATIENCE_MS);
  expect(await readFile(job.target, 'utf8')).toBe(CONTENT);
});

test('an archive that is not the published one is refused', async () => {
  const job = await jobAt(serve(await archive(), '0'.repeat(32)));
  await expect(fetchOfficialMongod(job, PATIENCE_MS)).rejects.toThrow(/MD5/i);
});

test('a site that does not answer is given up', async () => {
  const job = await jobAt(() => undefined);
  await expect(fetchOfficialMongod(job, 1_500)).rejects.toThrow('no answer within 1.5 s');
});

test('a refusal is reported in one line', async () => {
  const job = await jobAt((_request, response) => response.writeHead(404).end());
  await expect(fetchOfficialMongod(job, PATIENCE_MS)).rejects.toThrow(/^[^\n]*404[^\n]*$/);
});
