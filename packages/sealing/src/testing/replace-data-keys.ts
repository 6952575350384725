import type { Document } from 'mongodb';
import { vi } from 'vitest';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { mongoDataKeyStore } from '../data-keys.ts';
import type { KeyEncryption } from '../key-encryption.ts';
import { replacementState } from '../replacement-state.ts';
import type { ReplacementDocument } from '../replacement-state.ts';
import { keepReplacingDataKeys } from '../replacing.ts';
import type { SealedCollection } from '../sealed-fields.ts';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';

const WAIT = { timeout: 90_000 };
const PAUSE_MS = 20;

/** Replaces every data key of a database that nobody else uses meanwhile; returns the counts of the replacement. */
export async function replaceDataKeys(
  mongo: MongoStore,
  encryption: KeyEncryption,
  sealed: readonly SealedCollection<Document>[],
): Promise<ReplacementDocument> {
  const state = replacementState(mongo);
  await state.request();
  const work = keepReplacingDataKeys({
    mongo,
    store: mongoDataKeyStore(mongo),
    encryption,
    sealed,
    state,
    lease: createLease(mongo, 'replacement', 30_000),
    log: captureLog().log,
    everyMs: PAUSE_MS,
    settleMs: PAUSE_MS,
    graceMs: PAUSE_MS,
  });
  try {
    return await vi.waitUntil(async () => {
      const stored = await state.read();
      return stored?.phase === 'done' && stored;
    }, WAIT);
  } finally {
    await work.close();
  }
}
