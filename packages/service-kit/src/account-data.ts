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

/** An exported record, and the position after which the next page starts. */
interface PlacedRecord {
  readonly position: string;
  /** Written as JSON; holds no secret. */
  readonly record: object;
}

/** Records of one kind in an account's export. */
interface AccountRecords {
  /** The kind, in lower camel case: `connections`. */
  readonly collection: string;
  /** The account's records after the given position (undefined: all), in a stable order. */
  read(ctx: RequestContext, accountId: string, after: string | undefined): AsyncIterable<PlacedRecord>;
}

/** The export and the erasure of the data that one service stores about accounts. */
export interface AccountData {
  readonly exports: readonly AccountRecords[];
  /**
   * Removes the data of an account, keys of sealed values first; true: nothing is left. May stop early, so that
   * one call stays within its deadline, and is then called again.
   */
  erase(ctx: RequestContext, accountId: string): Promise<boolean>;
}

/** Data that is erased but not exported, because it is of no use in an export, such as keys. */
export function erasedOnly(erase: (accountId: string) => Promise<void>): AccountData {
  return {
    exports: [],
    async erase(_ctx, accountId) {
      await erase(accountId);
      return true;
    },
  };
}

/** Far below what one message may hold, and enough that the number of calls does not matter. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_RECORDS = 1_000;

/** AccountDataService of proto/fairlead/common/v1 over what a service stores. Every user gets FORBIDDEN. */
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
      // Some records concern no account: an empty id would erase these.
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

// The next two ignore what a newer release adds at the end.
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
interface Dated {
  readonly _id: string | number;
  readonly accountId: string;
  readonly createdAt: Date;
}

/**
 * Reads an account's documents newest first, after `after`, by an index that starts with `accountId`, `createdAt: -1`,
 * `_id: -1`. Documents that are written meanwhile are newer and not returned.
 */
export async function* readNewestFirst<T extends Dated>(
  collection: Collection<T>,
  ctx: RequestContext,
  accountId: string,
  after: string | undefined,
): AsyncGenerator<{ readonly position: string; readonly document: T }> {
  const filter = { accountId, ...(after !== undefined && olderThan(after)) };
  // The driver does not see that a generic document has the fields that Dated names.
  const documents = collection
    .find(filter as Filter<T>, operationOptions(ctx))
    .sort({ createdAt: -1, _id: -1 })
    .batchSize(PAGE_RECORDS);
  // The driver's own type maps the members of T, which changes nothing for what Dated allows.
  for await (const found of documents) {
    const document = found as unknown as T;
    yield { position: positionOf(document), document };
  }
}

const ERASED_A_ROUND = 1_000;
const ERASE_LIMIT_MS = 3_000;

/**
 * Removes the documents that `filter` matches, for about three seconds; true: none is left. `filter` must use an index.
 * Deleting everything at once could outlast any deadline and would then have to start again.
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
    // The driver does not see that the ids of a generic document match its `_id`.
    if (ids.length > 0) await collection.deleteMany({ _id: { $in: ids } } as unknown as Filter<T>);
    if (ids.length < ERASED_A_ROUND) return true;
  } while (performance.now() < until);
  return false;
}
