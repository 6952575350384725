import type { Db } from 'mongodb';
import type { SequenceDocument } from './mongo.ts';
import { SEQUENCES } from './mongo.ts';

/**
 * Numbers to skip: more than any service uses between two backups. An id is an int32, so there is room for two
 * thousand restores.
 */
const ADVANCE = 1_000_000;

/** A sequence, its last number, and the last number that it will skip. */
interface SequenceAdvance {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The numbers that a restored database skips, because they may have been used after its backup. */
export async function planAdvances(db: Db): Promise<readonly SequenceAdvance[]> {
  const found = await db.collection<SequenceDocument>(SEQUENCES).find().sort({ _id: 1 }).toArray();
  return found.map(({ _id: name, value: from }) => ({ name, from, to: from + ADVANCE }));
}

/**
 * Advances all sequences of a restored database. Readers of its changes then miss none, because all later changes
 * have higher numbers.
 */
export async function advanceSequences(db: Db): Promise<void> {
  await db
    .collection<SequenceDocument>(SEQUENCES)
    .updateMany({}, { $inc: { value: ADVANCE } }, { writeConcern: { w: 'majority', journal: true } });
}
