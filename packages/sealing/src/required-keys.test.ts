import { expect, test } from 'vitest';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { memoryDataKeyStore } from './testing/memory-data-keys.ts';
import { requireKeysInUse } from './required-keys.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { createSealer } from './sealing.ts';

const base64 = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const encryption = (text: string) => ringKeyEncryption(parseKeyRing(text));
const old = `v1:${base64(1)}`;

async function storeOf(ring: string, scopes: readonly string[], store = memoryDataKeyStore()) {
  const sealer = createSealer({ encryption: encryption(ring), store });
  for (const scope of scopes) await sealer.seal(scope, [], 'x');
  return store;
}

test('a ring that has every key in use is accepted, and so is any ring where nothing is sealed', async () => {
  const store = await storeOf(old, ['acc_a']);
  await expect(requireKeysInUse(store, encryption(`v2:${base64(2)},${old}`))).resolves.toBeUndefined();
  await expect(
    requireKeysInUse(memoryDataKeyStore(), encryption(`v2:${base64(2)}`)),
  ).resolves.toBeUndefined();
});

test('every missing key is listed, with how much is under it and some of the owners', async () => {
  const many = Array.from({ length: 7 }, (_, at) => `acc_${at}`);
  const store = await storeOf(`v0:${base64(9)}`, ['acc_z'], await storeOf(old, many));
  const checked = requireKeysInUse(store, encryption(`v2:${base64(2)}`));
  await expect(checked).rejects.toThrow(
    'SEALING_KEYS: 7 data keys need the key v1, among them those of acc_0, acc_1, acc_2, acc_3, acc_4: The sealing key v1 is not in the key ring.',
  );
  await expect(checked).rejects.toThrow(
    'SEALING_KEYS: 1 data keys need the key v0, among them those of acc_z',
  );
  await expect(checked).rejects.toMatchObject({ name: 'ConfigError' });
});

test('another key under the name of one in use is refused', async () => {
  const store = await storeOf(old, ['acc_a']);
  await expect(requireKeysInUse(store, encryption(`v1:${base64(3)}`))).rejects.toThrow('does not open');
});

test('one damaged data key does not keep a service from starting', async () => {
  const store = await storeOf(old, ['acc_a', 'acc_b']);
  const damaged = store.records.get('acc_a');
  if (damaged !== undefined) store.records.set('acc_a', { ...damaged, wrapped: 'damaged' });
  await expect(requireKeysInUse(store, encryption(old))).resolves.toBeUndefined();
});
