import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { Binary, ObjectId } from 'mongodb';
import type { FileKeeper } from '../domain/file.ts';

/**
 * `uploading`: content may be arriving. `written`: complete. `ready`: a file of the account. `held`: stored for the approval of a call.
 * `removed`: to be swept. Only unexpired `ready` files are visible.
 */
export type FileState = 'uploading' | 'written' | 'ready' | 'held' | 'removed';

/** A file or upload document. */
export interface FileDocument {
  _id: string;
  accountId: string;
  /** The restricted API key that uploaded or received it: calls with that key see no other files. Otherwise absent. */
  keyId?: string;
  state: FileState;
  /** The approval for which it is or was stored. Otherwise absent. */
  keeper?: Pick<FileKeeper, 'approvalId' | 'endUserId'>;
  /** Id of its content in the bucket. */
  contentId: ObjectId;
  name: string;
  contentType: string;
  /** While uploading, the maximum size. */
  sizeBytes: number;
  sha256: string | null;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
  /** When file and content are removed. */
  removal: DueState;
}

/** Path of the member with which the sweep claims files. */
export const REMOVAL_PATH = 'removal';

/** Files of accounts; one index has everything needed for an account's totals. */
export const fileCollection = defineCollection<FileDocument>({
  name: 'files',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'account' },
    { key: { accountId: 1, state: 1, sizeBytes: 1 }, name: 'account_size' },
    dueIndex(REMOVAL_PATH),
  ],
});

/** The bucket of contents, in GridFS format. */
export const CONTENT_BUCKET = 'fileContents';

/** A content document of the bucket, as the driver writes it. */
interface ContentDocument {
  readonly _id: ObjectId;
}

/** Contents of the bucket. The driver expects this index in every bucket. */
export const contentCollection = defineCollection<ContentDocument>({
  name: `${CONTENT_BUCKET}.files`,
  indexes: [{ key: { filename: 1, uploadDate: 1 } }],
});

/** A chunk of a content, as the driver writes it. */
interface ChunkDocument {
  readonly _id: ObjectId;
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Binary;
}

/** Chunks of the contents. */
export const chunkCollection = defineCollection<ChunkDocument>({
  name: `${CONTENT_BUCKET}.chunks`,
  indexes: [{ key: { files_id: 1, n: 1 }, unique: true }],
});
