import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FileLabel, FileKeeper, ReceivedContent, StoredFile } from '../domain/file.ts';

/** Stores files of accounts. */
export interface Files {
  /** Opens an invisible upload of at most `maxBytes` and returns its id; CONFLICT if the account has no storage left. */
  open(
    ctx: RequestContext,
    accountId: string,
    upload: { readonly label: FileLabel; readonly maxBytes: number; readonly now: Date },
  ): Promise<string>;
  /** Writes the content as it arrives, with backpressure; PAYLOAD_TOO_LARGE beyond `maxBytes`. */
  write(
    ctx: RequestContext,
    accountId: string,
    fileId: string,
    content: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<ReceivedContent>;
  /** Removes an upload and its content. */
  abandon(accountId: string, fileId: string, now: Date): Promise<void>;
  /** Turns a complete upload into a file of the account; undefined if there is none. */
  commit(ctx: RequestContext, accountId: string, fileId: string, now: Date): Promise<StoredFile | undefined>;
  /** The file, unless it has expired. */
  find(ctx: RequestContext, accountId: string, fileId: string, now: Date): Promise<StoredFile | undefined>;
  /** Removes the file; false if there is none. */
  remove(ctx: RequestContext, accountId: string, fileId: string, now: Date): Promise<boolean>;
  /** The content of a file, in chunks. */
  read(ctx: RequestContext, accountId: string, fileId: string): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Stores a complete upload for an approval: it counts as a file of the account, but only `readHeld` finds it. False if there is no such
   * upload.
   */
  hold(
    ctx: RequestContext,
    accountId: string,
    fileId: string,
    keeper: FileKeeper,
    now: Date,
  ): Promise<boolean>;
  /** Label and content (in chunks) of a file stored for an approval; undefined if there is none with this id. */
  readHeld(
    ctx: RequestContext,
    accountId: string,
    of: { readonly fileId: string; readonly approvalId: string },
  ): Promise<{ readonly label: FileLabel; readonly content: AsyncIterable<Uint8Array> } | undefined>;
  /** Turns content stored for an approval into a file of the account; undefined if there is none with this id. Idempotent. */
  publish(
    ctx: RequestContext,
    accountId: string,
    of: { readonly fileId: string; readonly approvalId: string },
    now: Date,
  ): Promise<StoredFile | undefined>;
  /** Removes all content stored for an approval, or for the approvals of an end user. */
  dropHeld(
    accountId: string,
    keeper: Pick<FileKeeper, 'approvalId'> | { readonly endUserId: string },
    now: Date,
  ): Promise<void>;
}

/** Signed addresses at which files can be downloaded without a credential. */
export interface FileUrls {
  /** An address of the file, valid for 15 minutes from `now`. */
  urlOf(accountId: string, fileId: string, now: Date): string;
}

/** A fetched file, or why it could not be fetched, for people. */
export type FetchedFile =
  | {
      readonly kind: 'fetched';
      readonly content: Uint8Array;
      /** The address's path, from which a file name is derived. */
      readonly name: string | undefined;
      readonly contentType: string | undefined;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** Fetches files from addresses that callers choose. */
export interface FileFetcher {
  /** Fails if the file is larger than `maxBytes`. */
  fetch(
    ctx: RequestContext,
    url: string,
    o: { readonly maxBytes: number; readonly timeoutMs: number },
  ): Promise<FetchedFile>;
}
