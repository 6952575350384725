import { access, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, test } from 'vitest';
import { readSeed, removeDevFile, writeDevFile } from './dev-file.ts';
import type { DevFile } from './dev-file.ts';

const ACCOUNT = { accountId: 'acc_1', apiKey: 'fairlead_x', ownerEmail: 'a@b.example', ownerPassword: 'p' };

const DEV: DevFile = {
  baseUrl: 'http://127.0.0.1:8080',
  mcpUrl: 'http://127.0.0.1:8080/mcp',
  openapiUrl: 'http://127.0.0.1:8080/openapi.json',
  docsUrl: 'http://127.0.0.1:8080/docs',
  pid: 1,
  mongodbUri: 'mongodb://127.0.0.1:1',
  natsUrl: 'nats://127.0.0.1:7',
  operatorKey: 'operator',
  services: { catalog: 'http://127.0.0.1:2' },
  grpc: { catalog: 'http://127.0.0.1:3' },
  admin: { catalog: 'http://127.0.0.1:6' },
  account: ACCOUNT,
  otherAccount: ACCOUNT,
  sandboxCrm: {
    url: 'http://127.0.0.1:4',
    apiKey: 'k',
    adminKey: 'a',
    user: 'u',
    password: 'p',
    oauthClientId: 'c',
    oauthClientSecret: 's',
  },
  samples: { mcpServerUrl: 'http://127.0.0.1:5/mcp', postgresUrl: null },
};

test('dev.json holds everything, only its owner can read it, and it can be removed', async () => {
  const file = join(await temporaryFolder(), 'dev.json');
  await writeFile(file, 'of an earlier run', { mode: 0o644 });
  await writeDevFile(file, DEV);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(DEV);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await removeDevFile(file);
  await expect(access(file)).rejects.toThrow('ENOENT');
  await expect(removeDevFile(file)).resolves.toBeUndefined();
});

test('a seed file without both accounts is refused', async () => {
  const file = join(await temporaryFolder(), 'seed.json');
  await writeFile(file, JSON.stringify({ account: ACCOUNT, otherAccount: ACCOUNT, more: 1 }));
  expect(await readSeed(file)).toEqual({ account: ACCOUNT, otherAccount: ACCOUNT });
  await writeFile(file, JSON.stringify({ account: ACCOUNT }));
  await expect(readSeed(file)).rejects.toThrow('otherAccount');
});
