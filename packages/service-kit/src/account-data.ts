import type { ServiceImpl } from '@connectrpc/connect';
import type { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import type { Collection, Document, Filter } from 'mongodb';
import { z } from 'zod';
import { jsonText } from './json/lazy-json.ts';
import type { RequestContext } from './context/context.ts';
import { requirePlatform } from './context/context.ts';
import { invalidCursor, readCursor, writeCursor } from './cursor.ts';
import { olderThan, positionOf } from './mongo/list-part.ts';
import { operationOptions } from './mongo/mongo.ts';
import { requestContext } from './rpc/request.ts';

/** An exported record, and its position, after which the next page starts. */
interface PlacedRecord {
  readonly position: string;
  /** The record, to be written as JSON; holds no secret. */
  readonly record: object;
}

/** Records of one kind in an account's export. */
interface AccountRecords {
  /** The kind, in lower camel case: `connections`. */
  readonly collection: string;
  /** The account's records after the given position (undefined: from the start), in a stable order. */
  read(ctx: RequestContext, accountId: string, after: string | undefined): AsyncIterable<PlacedRecord>;
}

/** The export and erasure of one service's data about accounts. */
export interface AccountData {
  readonly exports: readonly AccountRecords[];
  /**
   * Removes an account's data, keys of sealed values first. True: nothing is left. It may stop early to stay within
   * the call's deadline, and is then called again.
   */
  erase(ctx: RequestContext, accountId: string): Promise<boolean>;
}

/** Data that is erased but not exported, such as keys, which are of no use in an export. */
export function erasedOnly(erase: (accountId: string) => Promise<void>): AccountData {
  return {
    exports: [],
    async erase(_ctx, accountId) {
      await erase(accountId);
      return true;
    },
  };
}

/** Far below the limit of a message, and large enough that the number of calls does not matter. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_RECORDS = 1_000;

/** Serves AccountDataService (proto/fairlead/common/v1) for a service's stored data. Users get FORBIDDEN. */
export function createAccountDataService(data: AccountData): ServiceImpl<typeof AccountDataService> {
  return {
    async exportAccountData({ accountId, cursor }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      return await exportPage(data.exports, ctx, accountId, cursor);
    },
    async eraseAccountData({ accountId }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      // Some records belong to no account: an empty id would erase them.
      if (accountId === '') throw validationError({ field: 'accountId', issue: 'is required' });
      return { isComplete: await data.erase(ctx, accountId) };
    },
  };
}

async function exportPage(
  exports: AccountData['exports'],
  ctx: RequestContext,
  accountId: string,
  cursor: string,
): Promise<{ collection: string; records: string[]; nextCursor: string }> {
  const { index, after } = placeOf(exports, cursor);
  const source = exports[index];
  if (source === undefined) return { collection: '', records: [], nextCursor: '' };
  const records: string[] = [];
  let bytes = 0;
  for await (const { position, record } of source.read(ctx, accountId, after)) {
    const text = jsonText(record);
    records.push(text);
    bytes += Buffer.byteLength(text);
    if (bytes < PAGE_BYTES && records.length < PAGE_RECORDS) continue;
    return { collection: source.collection, records, nextCursor: cursorAt(source, position) };
  }
  const next = exports[index + 1];
  const nextCursor = next === undefined ? '' : cursorAt(next, undefined);
  return { collection: source.collection, records, nextCursor };
}

// The next two patterns ignore members that a newer release appends.
const placeForm = z.tuple([z.string(), z.string().nullable()], z.unknown());

function cursorAt({ collection }: AccountRecords, after: string | undefined): string {
  return writeCursor([collection, after ?? null]);
}

function placeOf(
  exports: AccountData['exports'],
  cursor: string,
): { readonly index: number; readonly after: string | undefined } {
  if (cursor === '') return { index: 0, after: undefined };
  const [collection, after] = readCursor(placeForm, cursor);
  const index = exports.findIndex((source) => source.collection === collection);
  if (index === -1) throw invalidCursor();
  return { index, after: after ?? undefined };
}

/** The members that readNewestFirst needs of a stored record. */
interface DatedRecord {
  readonly _id: string | number;
  readonly accountId: string;
  readonly createdAt: Date;
}

/**
 * Reads an account's documents after `after`, newest first, by an index that starts with `accountId`, `createdAt:
 * -1`, `_id: -1`. Documents written meanwhile are newer and are not returned.
 */
export async function* readNewestFirst<T extends DatedRecord>(
  collection: Collection<T>,
  ctx: RequestContext,
  accountId: string,
  after: string | undefined,
): AsyncGenerator<{ readonly position: string; readonly document: T }> {
  const filter = { accountId, ...(after !== undefined && olderThan(after)) };
  // The driver does not know that the generic document has the fields of Dated.
  const documents = collection
    .find(filter as Filter<T>, operationOptions(ctx))
    .sort({ createdAt: -1, _id: -1 })
    .batchSize(PAGE_RECORDS);
  // The driver's type maps the members of T, which changes nothing for the types that Dated allows.
  for await (const found of documents) {
    const document = found as unknown as T;
    yield { position: positionOf(document), document };
  }
}

const ERASED_A_ROUND = 1_000;
const ERASE_LIMIT_MS = 3_000;

/**
 * Removes the documents that match `filter`, for about three seconds. True: none is left. `filter` must use an index.
 * Deleting everything at once could exceed any deadline and would then have to start again.
 */
export async function eraseDocuments<T extends Document>(
  collection: Collection<T>,
  ctx: RequestContext,
  filter: Filter<T>,
): Promise<boolean> {
  const until = performance.now() + ERASE_LIMIT_MS;
  do {
    const ids = await collection
      .find(filter, { ...operationOptions(ctx), projection: { _id: 1 } })
      .limit(ERASED_A_ROUND)
      .map(({ _id }) => _id)
      .toArray();
    // The driver does not know that the ids of a generic document have the type of its `_id`.
    if (ids.length > 0) await collection.deleteMany({ _id: { $in: ids } } as unknown as Filter<T>);
    if (ids.length < ERASED_A_ROUND) return true;
  } while (performance.now() < until);
  return false;
}
