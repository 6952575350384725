import type { Collection, Document, Filter, WithId } from 'mongodb';
import type { RequestContext } from '../context/context.ts';
import type { Page } from '../page.ts';
import { operationOptions } from './mongo.ts';

/** A page of the matching documents, newest first by `createdAt`, and the number of all of them. */
export async function newestPage<T extends Document>(
  collection: Collection<T>,
  ctx: RequestContext,
  filter: Filter<T>,
  { offset, top }: Page,
  /** Name of the index for counting. Default: the server chooses. */
  countHint?: string,
): Promise<{ readonly documents: readonly WithId<T>[]; readonly totalCount: number }> {
  const options = operationOptions(ctx);
  const [documents, totalCount] = await Promise.all([
    collection.find(filter, options).sort({ createdAt: -1, _id: -1 }).skip(offset).limit(top).toArray(),
    collection.countDocuments(filter, { ...options, ...(countHint !== undefined && { hint: countHint }) }),
  ]);
  return { documents, totalCount };
}
