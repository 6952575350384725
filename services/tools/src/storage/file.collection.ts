import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import type { Binary, ObjectId } from 'mongodb';
import type { FileKeeper } from '../domain/file.ts';

/**
 * `uploading`: content may be arriving; `written`: all of it has; `ready`: a file of the account; `held`: kept for the approval of a call;
 * `removed`: to be swept. Only one that is ready and not expired can be seen.
 */
export type FileState = 'uploading' | 'written' | 'ready' | 'held' | 'removed';

/** A file or an upload. */
export interface FileDocument {
  _id: string;
  accountId: string;
  /** The API key that uploaded or received it, if that is confined to a toolset: its own calls see no other files. Otherwise absent. */
  keyId?: string;
  state: FileState;
  /** The approval that keeps it, or did before it became a file of the account. Otherwise absent. */
  keeper?: Pick<FileKeeper, 'approvalId' | 'endUserId'>;
  /** The id of its content in the bucket. */
  contentId: ObjectId;
  name: string;
  contentType: string;
  /** While it is uploading, the most that it may become. */
  sizeBytes: number;
  sha256: string | null;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
  /** When it and its content are removed. */
  removal: Due;
}

/** The member by which files are claimed for removal. */
export const REMOVAL_PATH = 'removal';

/** The files of accounts; what is counted of an account is in one index. */
export const fileCollection = defineCollection<FileDocument>({
  name: 'files',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'account' },
    { key: { accountId: 1, state: 1, sizeBytes: 1 }, name: 'account_size' },
    dueIndex(REMOVAL_PATH),
  ],
});

/** The bucket of contents, in the form of GridFS. */
export const CONTENT_BUCKET = 'fileContents';

/** One content of the bucket, as the driver writes it. */
interface ContentDocument {
  readonly _id: ObjectId;
}

/** The contents. The index is the one that the driver expects of every bucket. */
export const contentCollection = defineCollection<ContentDocument>({
  name: `${CONTENT_BUCKET}.files`,
  indexes: [{ key: { filename: 1, uploadDate: 1 } }],
});

/** A piece of a content, as the driver writes it. */
interface ChunkDocument {
  readonly _id: ObjectId;
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Binary;
}

/** The pieces of the contents. */
export const chunkCollection = defineCollection<ChunkDocument>({
  name: `${CONTENT_BUCKET}.chunks`,
  indexes: [{ key: { files_id: 1, n: 1 }, unique: true }],
});
