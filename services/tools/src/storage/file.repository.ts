import { createHash } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@fairlead/errors/api-error';
import { confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { createUnderLock, creationLock } from '@fairlead/service-kit/mongo/creation-locks';
import { GridFSBucket, ObjectId } from 'mongodb';
import type { AggregateOptions } from 'mongodb';
import { ANONYMOUS_SHARE, KEPT_MS, MAX_ACCOUNT_BYTES, MAX_FILES, UPLOAD_MS } from '../domain/file.ts';
import type { FileKeeper, ReceivedContent, StoredFile } from '../domain/file.ts';
import type { Files } from '../ports/files.ts';
import { approvalCollection } from './approval.collection.ts';
import { chunkCollection, CONTENT_BUCKET, contentCollection, fileCollection } from './file.collection.ts';
import type { FileDocument, FileState } from './file.collection.ts';
import { createBufferCollector } from './buffer-collector.ts';

/** Size of one chunk; a transfer has a few of them in memory. */
const CHUNK_BYTES = 512 * 1024;
/** Chunks per read. */
const READ_CHUNKS = 4;
/** Grace period after which no late write of an abandoned upload can arrive. */
const SETTLED_MS = 60_000;
const ID_LENGTH = 22;
const COUNTED: readonly FileState[] = ['uploading', 'written', 'ready', 'held'];

/** Stores files, and removes invisible ones. */
export interface FileRepository extends Files {
  /** Removes a claimed document with its content; returns when it is due instead if it must not be removed at `now`. */
  sweep(document: FileDocument, now: Date): Promise<Date | null>;
  /** Removes the contents of all files of an account, so that their documents can be removed. */
  eraseContents(ctx: RequestContext, accountId: string): Promise<void>;
}

/** The files of accounts in the service's database. */
export function createFileRepository(store: MongoStore): FileRepository {
  const files = store.collection(fileCollection);
  const contents = store.collection(contentCollection);
  const approvals = store.collection(approvalCollection);
  const chunks = store.collection(chunkCollection);
  const hasPassed = createBufferCollector();
  const bucket = new GridFSBucket(store.db, { bucketName: CONTENT_BUCKET, chunkSizeBytes: CHUNK_BYTES });

  async function removeContents(ids: readonly ObjectId[]): Promise<void> {
    await contents.deleteMany({ _id: { $in: [...ids] } });
    await chunks.deleteMany({ files_id: { $in: [...ids] } });
  }

  /** Whether a further file of `bytes` fits into `share` of the account's storage, besides its files and uploads. */
  async function hasRoom(
    options: AggregateOptions,
    accountId: string,
    bytes: number,
    share: number,
  ): Promise<boolean> {
    const [total = { count: 0, bytes: 0 }] = await files
      .aggregate<{ count: number; bytes: number }>(
        [
          { $match: { accountId, state: { $in: COUNTED } } },
          { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: '$sizeBytes' } } },
        ],
        { ...options, hint: 'account_size' },
      )
      .toArray();
    return total.count < MAX_FILES * share && total.bytes + bytes <= MAX_ACCOUNT_BYTES * share;
  }

  /** Own reader, because the driver's would fetch up to 16 MB at once. Throws if content is missing. */
  async function* contentOf({ contentId, sizeBytes }: FileDocument): AsyncGenerator<Uint8Array> {
    const pieces = chunks.find(
      { files_id: contentId },
      { projection: { data: 1 }, sort: { files_id: 1, n: 1 }, batchSize: READ_CHUNKS },
    );
    let read = 0;
    for await (const { data } of pieces) {
      const piece = data.value();
      read += piece.length;
      yield piece;
      hasPassed(piece.length);
    }
    if (read !== sizeBytes) throw new Error('The content of the file is incomplete.');
  }

  /** Whether the call of an approval may still run, or is running and may return its approval. */
  async function isNeeded(
    accountId: string,
    { approvalId }: Pick<FileKeeper, 'approvalId'>,
    now: Date,
  ): Promise<boolean> {
    const found = await approvals.findOne(
      { accountId, _id: approvalId },
      { projection: { status: 1, updatedAt: 1 } },
    );
    if (found === null || found.status === 'rejected') return false;
    return found.status !== 'used' || checkAgainAt(found.updatedAt) > now;
  }

  const visible = (ctx: RequestContext, accountId: string, fileId: string, now: Date) =>
    ({ _id: fileId, accountId, ...ownedBy(ctx), state: 'ready', expiresAt: { $gt: now } }) as const;

  return {
    async open(ctx, accountId, { label, maxBytes, now }) {
      const document: FileDocument = {
        _id: `file_${randomBase62(ID_LENGTH)}`,
        accountId,
        ...ownedBy(ctx),
        state: 'uploading',
        contentId: new ObjectId(),
        ...label,
        sizeBytes: maxBytes,
        sha256: null,
        createdAt: now,
        updatedAt: now,
        expiresAt: new Date(now.getTime() + KEPT_MS),
        removal: { lane: accountId, at: new Date(now.getTime() + UPLOAD_MS), claim: null },
      };
      const share = ctx.caller.kind === 'anonymousClient' ? ANONYMOUS_SHARE : 1;
      const outcome = await createUnderLock(
        store,
        ctx,
        creationLock(store, accountId, 'files'),
        (options) => hasRoom(options, accountId, maxBytes, share),
        async (session) => {
          await files.insertOne(document, { ...operationOptions(ctx), session });
          return document._id;
        },
      );
      if (outcome === 'full') throw noRoom(share);
      return outcome;
    },

    async write(ctx, accountId, fileId, content, maxBytes) {
      const found = await files.findOne(
        { _id: fileId, accountId, state: 'uploading' },
        operationOptions(ctx),
      );
      if (found === null) throw new Error('There is no such upload.');
      const meter = createMeter(maxBytes, hasPassed);
      const target = bucket.openUploadStreamWithId(found.contentId, '', { chunkSizeBytes: CHUNK_BYTES });
      await pipeline(Readable.from(content, { objectMode: false }), meter.stream, target, {
        signal: ctx.signal,
      });
      const received = meter.received();
      await files.updateOne({ _id: fileId, accountId }, { $set: { state: 'written', ...received } });
      return received;
    },

    async abandon(accountId, fileId, now) {
      const found = await files.findOneAndUpdate(
        { _id: fileId, accountId, state: { $in: ['uploading', 'written'] } },
        { $set: { state: 'removed', 'removal.at': new Date(now.getTime() + SETTLED_MS) } },
      );
      if (found !== null) await removeContents([found.contentId]);
    },

    async commit(ctx, accountId, fileId, now) {
      const expiresAt = new Date(now.getTime() + KEPT_MS);
      const found = await files.findOneAndUpdate(
        { _id: fileId, accountId, ...ownedBy(ctx), state: 'written' },
        { $set: { state: 'ready', createdAt: now, updatedAt: now, expiresAt, 'removal.at': expiresAt } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return found === null ? undefined : fileOf(found);
    },

    async find(ctx, accountId, fileId, now) {
      const found = await files.findOne(visible(ctx, accountId, fileId, now), operationOptions(ctx));
      return found === null ? undefined : fileOf(found);
    },

    async remove(ctx, accountId, fileId, now) {
      const found = await files.findOneAndUpdate(
        visible(ctx, accountId, fileId, now),
        { $set: { state: 'removed', 'removal.at': now } },
        operationOptions(ctx),
      );
      return found !== null;
    },

    async read(ctx, accountId, fileId) {
      const found = await files.findOne(
        { _id: fileId, accountId, ...ownedBy(ctx), state: 'ready' },
        operationOptions(ctx),
      );
      if (found === null) throw new Error('There is no such file.');
      return contentOf(found);
    },

    async hold(ctx, accountId, fileId, { until, ...keeper }, now) {
      const { matchedCount } = await files.updateOne(
        { _id: fileId, accountId, state: 'written' },
        {
          $set: {
            state: 'held',
            keeper,
            createdAt: now,
            updatedAt: now,
            expiresAt: until,
            'removal.at': checkAgainAt(now),
          },
        },
        operationOptions(ctx),
      );
      return matchedCount === 1;
    },

    async readHeld(ctx, accountId, { fileId, approvalId }) {
      const found = await files.findOne(
        { _id: fileId, accountId, state: 'held', 'keeper.approvalId': approvalId },
        operationOptions(ctx),
      );
      if (found === null) return undefined;
      const { name, contentType } = found;
      return { label: { name, contentType }, content: contentOf(found) };
    },

    async publish(ctx, accountId, { fileId, approvalId }, now) {
      const expiresAt = new Date(now.getTime() + KEPT_MS);
      const found = await files.findOneAndUpdate(
        {
          _id: fileId,
          accountId,
          state: { $in: ['held', 'ready'] },
          'keeper.approvalId': approvalId,
        },
        { $set: { state: 'ready', ...ownedBy(ctx), updatedAt: now, expiresAt, 'removal.at': expiresAt } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return found === null ? undefined : fileOf(found);
    },

    async dropHeld(accountId, keeper, now) {
      const kept =
        'approvalId' in keeper
          ? { 'keeper.approvalId': keeper.approvalId }
          : { 'keeper.endUserId': keeper.endUserId };
      await files.updateMany(
        { accountId, state: 'held', ...kept },
        { $set: { state: 'removed', 'removal.at': now } },
      );
    },

    async sweep({ _id, accountId, contentId, state, expiresAt, keeper }, now) {
      if (state === 'ready' && expiresAt > now) return expiresAt;
      if (keeper && state === 'held' && expiresAt > now && (await isNeeded(accountId, keeper, now)))
        return checkAgainAt(now);
      await removeContents([contentId]);
      await files.deleteOne({ _id, accountId });
      return null;
    },

    async eraseContents(ctx, accountId) {
      const ids = files
        .find({ accountId }, { ...operationOptions(ctx), projection: { contentId: 1 } })
        .batchSize(100);
      for await (const { contentId } of ids) await removeContents([contentId]);
    },
  };
}

function noRoom(share: number): ApiError {
  const most = `${MAX_FILES} files of ${MAX_ACCOUNT_BYTES / 1024 ** 3} GiB together`;
  if (share < 1)
    return new ApiError(
      'CONFLICT',
      `An account has at most ${most}, of which clients without a credential may fill half.`,
    );
  const way = 'Delete files that are not needed, or reject calls whose approvals keep files.';
  return new ApiError('CONFLICT', `An account has at most ${most}. ${way}`);
}

/** The time of the next check of a file whose approval may end meanwhile. */
function checkAgainAt(now: Date): Date {
  return new Date(now.getTime() + UPLOAD_MS);
}

/** Measures and hashes the stream; PAYLOAD_TOO_LARGE beyond `maxBytes`. */
function createMeter(
  maxBytes: number,
  hasPassed: (bytes: number) => void,
): {
  readonly stream: Transform;
  readonly received: () => ReceivedContent;
} {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) {
        done(new ApiError('PAYLOAD_TOO_LARGE', `A file must be at most ${maxBytes} bytes.`));
        return;
      }
      hash.update(chunk);
      hasPassed(chunk.length);
      done(null, chunk);
    },
  });
  return { stream, received: () => ({ sizeBytes, sha256: hash.digest('hex') }) };
}

/** A restricted API key only sees its own files. */
function ownedBy(ctx: RequestContext): Pick<FileDocument, 'keyId'> {
  const confinement = confinementOf(ctx);
  return confinement === undefined ? {} : { keyId: confinement.keyId };
}

/** Decodes a file for its account. */
export function fileOf(document: FileDocument): StoredFile {
  const { _id: fileId, name, contentType, sizeBytes, sha256, createdAt, updatedAt, expiresAt } = document;
  return { fileId, name, contentType, sizeBytes, sha256: sha256 ?? '', createdAt, updatedAt, expiresAt };
}
