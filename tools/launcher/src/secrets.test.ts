import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, test } from 'vitest';
import { writePrivateJson } from './json-file.ts';
import { openSecrets } from './secrets.ts';

test('secrets are generated once, stored, and readable only by their owner', async () => {
  const file = join(await temporaryFolder(), 'secrets.json');
  const made = await openSecrets(file);
  expect(await openSecrets(file)).toEqual(made);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(made.callerContextKeys).toMatch(/^v1:[A-Za-z0-9+/]{43}=$/);
  expect(made.sandboxCrm.connectorClient.clientId).not.toBe(made.sandboxCrm.providerClient.clientId);
});

test('an older instance gets a new secret and keeps the others', async () => {
  const file = join(await temporaryFolder(), 'secrets.json');
  const { operatorKey, auditKeys, auditKeyedSince, ...older } = await openSecrets(file);
  await writePrivateJson(file, older);
  const opened = await openSecrets(file);
  expect(opened).toMatchObject(older);
  expect(opened.operatorKey).toMatch(/^fairlead_operator_.{43}$/);
  expect([opened.operatorKey, opened.auditKeys]).not.toEqual([operatorKey, auditKeys]);
  // An older instance's audit log has batches without a key until now.
  expect(opened.auditKeyedSince >= auditKeyedSince).toBe(true);
  expect(await openSecrets(file)).toEqual(opened);
});

test('an instance on which a newer release ran keeps the secrets that this one does not know', async () => {
  const file = join(await temporaryFolder(), 'secrets.json');
  const newer = { ...(await openSecrets(file)), laterKeys: 'v1:x' };
  await writePrivateJson(file, newer);
  expect(await openSecrets(file)).toEqual(newer);
  const { operatorKey: _absent, ...older } = newer;
  await writePrivateJson(file, older);
  await openSecrets(file);
  expect(await openSecrets(file)).toMatchObject({ laterKeys: 'v1:x' });
});

test('two instances share no secret', async () => {
  const [one, other] = [await temporaryFolder(), await temporaryFolder()];
  const first = await openSecrets(join(one, 'secrets.json'));
  const second = await openSecrets(join(other, 'secrets.json'));
  expect(first.callerContextKeys).not.toBe(second.callerContextKeys);
  expect(first.sealingKeys).not.toBe(second.sealingKeys);
  expect(first.sandboxCrm.apiToken).not.toBe(second.sandboxCrm.apiToken);
});
