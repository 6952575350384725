import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { Secret } from '@fairlead/service-kit/secret';
import { keyEncryptionSuite } from './testing/key-encryption-suite.ts';
import { startKmsPlugin } from './testing/kms-plugin.ts';
import type { KmsPlugin } from './testing/kms-plugin.ts';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { openKeyEncryption } from './open-key-encryption.ts';
import { openKmsKeyEncryption } from './kms-key-encryption.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { parseSealingKeys } from './sealing-keys.ts';

const V1 = `v1:${Buffer.alloc(32, 1).toString('base64')}`;
const { log } = captureLog();
const binding = ['data-key', 'acc', 'id'];
const key = new Secret<Uint8Array>(Buffer.alloc(32, 7));

let plugin: KmsPlugin;
let kms: Awaited<ReturnType<typeof openKmsKeyEncryption>>;
beforeAll(async () => {
  plugin = await startKmsPlugin();
  kms = await openKmsKeyEncryption({ socketPath: plugin.socketPath, log, statusEveryMs: 20 });
});
afterAll(async () => {
  await kms.close();
  await plugin.close();
});

describe('a key ring', () => {
  keyEncryptionSuite(() => ringKeyEncryption(parseKeyRing(V1)));
});

describe('a key management service', () => {
  keyEncryptionSuite(() => kms);

  test('that rotates its key is followed; what the former key wrapped unwraps', async () => {
    const before = await kms.wrap(binding, key);
    plugin.rotate();
    await vi.waitUntil(() => kms.current() === `kms:${plugin.keyId()}`, { timeout: 90_000 });
    expect(before.wrappedWith).not.toBe(kms.current());
    expect((await kms.wrap(binding, key)).wrappedWith).toBe(kms.current());
    expect((await kms.unwrap(binding, before)).reveal()).toHaveLength(32);
  });

  test('that is away is UNAVAILABLE, and works again when it is back', async () => {
    const wrapped = await kms.wrap(binding, key);
    await plugin.stop();
    await expect(kms.unwrap(binding, wrapped)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(openKmsKeyEncryption({ socketPath: plugin.socketPath, log })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    await plugin.start();
    await vi.waitUntil(
      () =>
        kms.unwrap(binding, wrapped).then(
          () => true,
          () => false,
        ),
      { timeout: 90_000 },
    );
  });
});

test('beside a key ring, each unwraps what it wrapped, and the first entry wraps', async () => {
  const first = await openKeyEncryption(parseSealingKeys(`${V1},kms:${plugin.socketPath}`), log);
  const second = await openKeyEncryption(parseSealingKeys(`kms:${plugin.socketPath},${V1}`), log);
  const [byRing, byKms] = [await first.wrap(binding, key), await second.wrap(binding, key)];
  expect([byRing.wrappedWith, byKms.wrappedWith]).toEqual(['v1', `kms:${plugin.keyId()}`]);
  for (const encryption of [first, second])
    for (const wrapped of [byRing, byKms])
      expect((await encryption.unwrap(binding, wrapped)).reveal()).toHaveLength(32);
  const alone = await openKeyEncryption(parseSealingKeys(`kms:${plugin.socketPath}`), log);
  await expect(alone.unwrap(binding, byRing)).rejects.toThrow('v1 is not in the key ring');
  await Promise.all([first, second, alone].map((encryption) => encryption.close()));
});
