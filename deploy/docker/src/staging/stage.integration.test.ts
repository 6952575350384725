import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newSecrets } from '@fairlead/instance-secrets/secrets';
import { ownSecretVariables, sharedSecretVariables } from '@fairlead/instance-secrets/variables';
import { freePort } from '@fairlead/local-stores/ports';
import { SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { stageTree } from './stage.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

let work: string;
let main: string;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'fairlead-staged-test-'));
  await stageTree(ROOT, join(work, 'app'));
  main = join(work, 'app/deploy/docker/main.ts');
});
afterAll(() => rm(work, { recursive: true, force: true }));

it.each([...SERVICE_NAMES, 'gateway', 'sandbox-crm'])(
  '%s has all its code: it asks for settings',
  async (name) => {
    const run = promisify(execFile)(process.execPath, [main], { cwd: work, env: { SERVICE: name } });
    await expect(run).rejects.toThrow(/configuration is not valid|Unusable settings/);
  },
);

it('the gateway has all that it serves to readers', async () => {
  const [port, database] = [await freePort(), `fairlead_staged_${randomBytes(4).toString('hex')}`];
  const secrets = newSecrets();
  const base = `http://127.0.0.1:${String(port)}`;
  const gateway = spawn(process.execPath, [main], {
    cwd: work,
    stdio: 'ignore',
    env: {
      SERVICE: 'gateway',
      PORT: String(port),
      LOG_LEVEL: 'silent',
      MONGODB_URI: inject('mongodbUri'),
      MONGODB_DATABASE: database,
      NATS_URL: inject('natsUrl'),
      PUBLIC_URL: base,
      DRAIN_DELAY_MS: '0',
      ...sharedSecretVariables(secrets),
      ...ownSecretVariables(secrets).gateway,
      // Nothing listens there.
      ...Object.fromEntries(SERVICE_NAMES.map((name) => [addressVariable(name), 'http://127.0.0.1:9'])),
    },
  });
  onTestFinished(async () => {
    if (gateway.exitCode === null) {
      gateway.kill();
      await once(gateway, 'exit');
    }
    const client = await MongoClient.connect(inject('mongodbUri'));
    await client.db(database).dropDatabase();
    await client.close();
  });
  const statusOf = async (path: string): Promise<number | undefined> =>
    fetch(`${base}${path}`, { headers: { connection: 'close' } }).then(
      (response) => response.status,
      () => undefined,
    );
  await expect.poll(() => statusOf('/readyz')).toBe(200);
  for (const path of ['/openapi.json', '/docs', '/llms.txt'])
    expect([path, await statusOf(path)]).toEqual([path, 200]);
});

it('has no test, no declaration of a library and no native module', async () => {
  const entries = await readdir(join(work, 'app'), { recursive: true, encoding: 'utf8' });
  expect(entries).toContain('catalogue.json');
  expect(
    entries.filter((path) => /\.test\.ts$|^node_modules\/(?!@fairlead).*\.d\.ts$|\.node$/.test(path)),
  ).toEqual([]);
});
