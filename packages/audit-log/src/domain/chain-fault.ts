import { hashOfBatch, hashOfEntries, macOfBatch, macOfEntry } from './batch-hashes.ts';
import { mustExist } from './chain.ts';
import type { AuditEntry } from './entry.ts';
import type { AuditBatch, ChainKeys, KeyedBatch, KeylessBatch } from './batch.ts';

/** The first fault in a chain. */
export interface ChainFault {
  readonly sequence: number;
  /** For people. */
  readonly problem: string;
  /** The first place at which the log is no longer as it was sealed. */
  readonly from: FaultPlace;
}

/** A place among the entries of a batch. */
interface FaultPlace {
  /** Zero-based place in the batch. */
  readonly position: number;
  /** The entry that was changed, moved, inserted or removed, or else the first that follows; null: the entry cannot be determined. */
  readonly entryId: string | null;
  /** The last intact entry before it; null: none. */
  readonly afterEntryId: string | null;
}

/** A batch whose key is not configured: whether the chain is intact from here on is not known. */
export interface MissingKey {
  readonly missingKeyId: string;
}

/** The rules and times by which a chain is verified. */
export interface Verification {
  readonly keys: ChainKeys;
  /** From this time on every batch has a key. Undefined: batches without one may stand before the first keyed one. */
  readonly keyedSince: Date | undefined;
  readonly now: Date;
}

/**
 * The fault of `batch`, or undefined, given the previous batch (undefined: `batch` is the first one left) and the entries that claim to be
 * in it, in their claimed order. Entries are not checked once the first of them may have expired; the batch itself still is.
 */
export function findFault(
  previous: AuditBatch | undefined,
  batch: AuditBatch,
  entries: readonly AuditEntry[],
  rules: Verification,
): ChainFault | MissingKey | undefined {
  const fault = (problem: string, o: { readonly sequence?: number } = {}): ChainFault => ({
    sequence: o.sequence ?? batch.sequence,
    problem,
    from: {
      position: 0,
      entryId: o.sequence === undefined ? (entries[0]?.id ?? null) : null,
      afterEntryId: previous?.lastEntryId ?? null,
    },
  });
  if (previous === undefined) {
    const { sequence, previousKeptUntil } = batch;
    const mayBeFirst =
      sequence === 1 || (previousKeptUntil !== null && !mustExist(previousKeptUntil, rules.now));
    if (!mayBeFirst) return fault('The batch is missing.', { sequence: sequence - 1 });
  } else if (batch.sequence !== previous.sequence + 1) {
    return fault('The batch is missing.', { sequence: previous.sequence + 1 });
  } else if (batch.previousHash !== previous.hash) {
    return fault('The batch is not linked to the one before it.');
  }
  if (isKeyed(batch)) {
    // An attacker may have written the batch: a key id that is not text is a fault, not a key that is merely missing here.
    if (typeof batch.keyId !== 'string') return fault('The batch was changed.');
    return findKeyedFault(previous, batch, entries, rules);
  }
  const problem = problemWithoutKey(previous, batch, entries, rules);
  return problem === undefined ? undefined : fault(problem);
}

/** Whether a batch was sealed with a key, or claims so. */
export function isKeyed(batch: AuditBatch): batch is KeyedBatch {
  return batch.keyId !== undefined;
}

function findKeyedFault(
  previous: AuditBatch | undefined,
  batch: KeyedBatch,
  entries: readonly AuditEntry[],
  { keys, now }: Verification,
): ChainFault | MissingKey | undefined {
  if (keys.mac(batch.keyId, '') === undefined) return { missingKeyId: batch.keyId };
  const isGenuine = batch.hash === macOfBatch(keys, batch);
  if (isGenuine && !mustExist(batch.entriesKeptUntil, now)) return undefined;
  // An attacker may have written the batch, with any content.
  const sealed: KeyedBatch['entries'] = Array.isArray(batch.entries) ? batch.entries : [];
  const { keyId, sequence } = batch;
  const end = Math.max(entries.length, sealed.length);
  let mac = batch.previousHash;
  let afterEntryId = previous?.lastEntryId ?? null;
  for (let position = 0; position < end; position += 1) {
    const entry = entries[position];
    const expected = entry && macOfEntry(keys, entry, { keyId, sequence, position, previous: mac });
    if (entry === undefined || expected === undefined || sealed[position]?.mac !== expected) {
      const { problem, entryId } = differenceAt(position, { sealed, entries, isGenuine });
      return { sequence, problem, from: { position, entryId, afterEntryId } };
    }
    mac = expected;
    afterEntryId = entry.id;
  }
  if (isGenuine) return undefined;
  return {
    sequence,
    problem: 'The batch was changed.',
    from: { position: end, entryId: null, afterEntryId },
  };
}

/** How the entries differ from the sealed ones, at the first place at which they do. */
function differenceAt(
  position: number,
  {
    sealed,
    entries,
    isGenuine,
  }: {
    readonly sealed: KeyedBatch['entries'];
    readonly entries: readonly AuditEntry[];
    /** Whether `sealed` has a valid MAC, so that it was not changed after it was sealed. */
    readonly isGenuine: boolean;
  },
): { readonly problem: string; readonly entryId: string } {
  const [was, is] = [sealed[position]?.id, entries[position]?.id];
  if (was !== undefined && was === is) {
    const problem = isGenuine
      ? 'An entry was changed.'
      : 'An entry was changed or inserted, or one before it was removed.';
    return { problem, entryId: was };
  }
  if (is !== undefined && !sealed.some(({ id }) => id === is))
    return { problem: 'An entry was inserted.', entryId: is };
  const isMoved = was === undefined || entries.some(({ id }) => id === was);
  return { problem: isMoved ? 'An entry was moved.' : 'An entry is missing.', entryId: was ?? is ?? '' };
}

function problemWithoutKey(
  previous: AuditBatch | undefined,
  batch: KeylessBatch,
  entries: readonly AuditEntry[],
  { keyedSince, now }: Verification,
): string | undefined {
  if (previous !== undefined && isKeyed(previous)) return 'The batch has no key, unlike the one before it.';
  const isEarly = (time: Date): boolean => keyedSince === undefined || time < keyedSince;
  if (!isEarly(batch.sealedAt) || !entries.every(({ createdAt }) => isEarly(createdAt)))
    return 'The batch has no key, and is of a time when every batch has one.';
  if (batch.hash !== hashOfBatch(batch)) return 'The batch was changed.';
  if (!mustExist(batch.entriesKeptUntil, now)) return undefined;
  if (entries.length !== batch.count)
    return `The batch was sealed with ${batch.count} entries and has ${entries.length}.`;
  if (hashOfEntries(entries) !== batch.entriesHash)
    return 'An entry of the batch was changed, exchanged or moved.';
  return undefined;
}
