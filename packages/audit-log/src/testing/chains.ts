import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { hashOfBatch, hashOfEntries } from '../domain/batch-hashes.ts';
import { chainKeysOf } from '../chain-keys.ts';
import type { ChainHead } from '../domain/chain.ts';
import { sealBatch } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { ChainKeys, KeylessBatch } from '../domain/batch.ts';

/** The text of a key ring with these ids; each key is 32 times its number, and the first is current. */
export function testRing(...versions: readonly number[]): string {
  return versions.map((version) => `v${version}:${Buffer.alloc(32, version).toString('base64')}`).join(',');
}

/** The chain keys of such a ring. */
export function testKeys(...versions: readonly number[]): ChainKeys {
  return chainKeysOf(parseKeyRing(testRing(...versions)));
}

/** A batch as sealed by a release without keys; anybody can forge one. */
export function sealWithoutKey(
  head: ChainHead,
  entries: readonly [AuditEntry, ...AuditEntry[]],
  now: Date,
): KeylessBatch {
  const {
    keyId: _key,
    entries: _sealed,
    hash: _mac,
    ...members
  } = sealBatch(head, entries, {
    keys: testKeys(1),
    now,
  });
  const unhashed = { ...members, entriesHash: hashOfEntries(entries) ?? '' };
  return { ...unhashed, hash: hashOfBatch(unhashed) ?? '' };
}
