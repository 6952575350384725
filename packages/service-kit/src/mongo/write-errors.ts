import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import type { WriteError } from 'mongodb';

/** The server's code for a document that a unique index does not allow. */
export const DUPLICATE_KEY = 11_000;

/** Whether a write failed because a unique index does not allow its document. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** The errors of single operations of an unordered bulk write, by their place; rejects if the write failed as a whole. */
export async function bulkErrors(writing: Promise<unknown>): Promise<ReadonlyMap<number, WriteError>> {
  try {
    await writing;
    return new Map();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined)
      throw error;
    const errors = [error.writeErrors].flat();
    // The driver wraps what kept it from sending the write, or from reading the answer.
    if (errors.length === 0) throw error;
    return new Map(errors.map((each) => [each.index, each]));
  }
}
