import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import type { WriteError } from 'mongodb';

/** The server's code for a violated unique index. */
export const DUPLICATE_KEY = 11_000;

/** Whether a write failed because of a unique index. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** The errors of single operations of an unordered bulk write, by index; rejects if the write failed as a whole. */
export async function bulkErrors(writing: Promise<unknown>): Promise<ReadonlyMap<number, WriteError>> {
  try {
    await writing;
    return new Map();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined)
      throw error;
    const errors = [error.writeErrors].flat();
    // The driver wraps the error that kept it from sending the write or reading the response.
    if (errors.length === 0) throw error;
    return new Map(errors.map((each) => [each.index, each]));
  }
}
