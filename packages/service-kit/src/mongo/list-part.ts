import type { Collection, Document, Filter, Sort, WithId } from 'mongodb';
import { z } from 'zod';
import type { RequestContext } from '../context/context.ts';
import { readPosition } from '../cursor.ts';
import type { ListPart, Page } from '../page.ts';
import { operationOptions } from './mongo.ts';
import type { OperationOptions } from './mongo.ts';

/**
 * Maximum BSON in one part of a page: a message may have 16 MiB, and each occupies a main thread while it is written
 * and read.
 */
const PART_BYTES = 1024 * 1024;
/** Maximum BSON of a further part; smaller, because other callers wait for each of its steps. */
const REST_BYTES = 256 * 1024;
/**
 * Maximum documents in a further part. The database reads the documents that it sizes, so sizing the rest of a page
 * for each part would read the page many times.
 */
const REST_DOCUMENTS = 8;

/** The members by which documents are listed newest first. */
interface DatedDocument {
  readonly _id: string | number;
  readonly createdAt: Date;
}

interface Head<T> extends DatedDocument {
  readonly size: number;
  readonly whole?: WithId<T>;
}

/** The first documents of a query that fit, and at least one. */
export async function readPart<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  {
    sort,
    skip,
    limit,
    isRest,
    hint,
    ...options
  }: OperationOptions & {
    readonly sort: Sort;
    readonly skip: number;
    readonly limit: number;
    /** Whether the part continues an earlier one. */
    readonly isRest: boolean;
    readonly hint?: string | undefined;
  },
): Promise<{
  readonly documents: readonly WithId<T>[];
  /** The last document if the page continues, even if it was removed meanwhile. */
  readonly cutAfter: DatedDocument | undefined;
}> {
  const maxBytes = isRest ? REST_BYTES : PART_BYTES;
  const most = isRest ? Math.min(limit, REST_DOCUMENTS) : limit;
  const size = { $bsonSize: '$$ROOT' };
  // Small documents are returned together with the sizes, so most pages take one query.
  const whole = { $cond: [{ $lte: [size, Math.floor(maxBytes / most)] }, '$$ROOT', '$$REMOVE'] };
  const heads = await collection
    .find(filter, { ...options, ...(hint !== undefined && { hint }) })
    .sort(sort)
    .skip(skip)
    .limit(most)
    .project<Head<T>>({ size, whole, createdAt: 1 })
    .toArray();
  let total = 0;
  const fitting = heads.filter((head, at) => (total += head.size) <= maxBytes || at === 0);
  const large = fitting.flatMap((head) => (head.whole === undefined ? [head._id] : []));
  // The driver does not know that the ids of a generic document have the type of its `_id`.
  const these = { ...filter, _id: { $in: large } } as unknown as Filter<T>;
  const read =
    large.length === 0 ? [] : await collection.find(these, { ...options, hint: { _id: 1 } }).toArray();
  const isCut = fitting.length < heads.length || (heads.length === most && most < limit);
  const byId = new Map<unknown, WithId<T>>(read.map((document) => [keyOf(document._id), document]));
  return {
    documents: fitting.flatMap((head) => head.whole ?? byId.get(keyOf(head._id)) ?? []),
    cutAfter: isCut ? fitting.at(-1) : undefined,
  };
}

function keyOf(id: unknown): unknown {
  return typeof id === 'number' ? id : String(id);
}

const datedPosition = z.tuple([z.number(), z.union([z.string(), z.number()])], z.unknown());

/** The position of a document in a newest-first list. */
export function positionOf({ createdAt, _id }: DatedDocument): string {
  return JSON.stringify([createdAt.getTime(), _id]);
}

/**
 * A filter for the documents after a position, for an index that ends with `createdAt: -1, _id: -1`. VALIDATION_ERROR
 * for an invalid position.
 */
export function olderThan(position: string): Filter<DatedDocument> {
  const [time, id] = readPosition(datedPosition, position);
  const createdAt = new Date(time);
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: id } }] };
}

/** The documents of a part of a page, newest first by `createdAt` and `_id`. `hint` is the index to use. */
export async function readNewestPart<T extends DatedDocument>(
  collection: Collection<T>,
  filter: Filter<T>,
  { offset, top, after }: Page,
  options: OperationOptions & { readonly hint?: string | undefined },
): Promise<Pick<ListPart<T>, 'items' | 'next'>> {
  // The driver does not know that a generic document has the members of Dated.
  const rest = (after === undefined ? filter : { $and: [filter, olderThan(after)] }) as Filter<T>;
  const { documents, cutAfter } = await readPart(collection, rest, {
    ...options,
    sort: { createdAt: -1, _id: -1 },
    skip: offset,
    limit: top,
    isRest: after !== undefined,
  });
  // The driver's type maps the members of T, which changes nothing for the types that Dated allows.
  return { items: documents as unknown as readonly T[], next: cutAfter && positionOf(cutAfter) };
}

/** One part of a page, newest first by `createdAt` and `_id`. `hint` is the index for counting. */
export async function listNewestFirst<T extends DatedDocument, R>(
  collection: Collection<T>,
  ctx: RequestContext,
  filter: Filter<T>,
  page: Page,
  { toItem, hint }: { readonly toItem: (document: T) => R; readonly hint?: string },
): Promise<ListPart<R>> {
  const options = operationOptions(ctx);
  const [{ items, next }, totalCount] = await Promise.all([
    readNewestPart(collection, filter, page, options),
    page.after === undefined
      ? collection.countDocuments(filter, { ...options, ...(hint !== undefined && { hint }) })
      : 0,
  ]);
  return { items: items.map(toItem), totalCount, next };
}
