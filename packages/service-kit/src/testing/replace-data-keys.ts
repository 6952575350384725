import type { Document } from 'mongodb';
import { vi } from 'vitest';
import { createLease } from '../mongo/lease.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import { mongoDataKeyStore } from '../sealing/data-keys.ts';
import type { KeyEncryption } from '../sealing/key-encryption.ts';
import { replacementState } from '../sealing/replacement-state.ts';
import type { ReplacementDocument } from '../sealing/replacement-state.ts';
import { keepReplacingDataKeys } from '../sealing/replacing.ts';
import type { SealedCollection } from '../sealing/sealed-fields.ts';
import { captureLog } from './log-lines.ts';

const WAIT = { timeout: 90_000 };
const PAUSE_MS = 20;

/** Replaces every data key of a database that nobody else uses meanwhile; returns what was done. */
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
