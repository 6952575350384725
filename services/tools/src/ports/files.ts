import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FileLabel, FileKeeper, ReceivedContent, StoredFile } from '../domain/file.ts';

/** The files of accounts. */
export interface Files {
  /**
   * Opens an upload of at most `maxBytes`, which nobody sees, and returns its id; CONFLICT if the account has no room for it.
   */
  open(
    ctx: RequestContext,
    accountId: string,
    upload: { readonly label: FileLabel; readonly maxBytes: number; readonly now: Date },
  ): Promise<string>;
  /** Writes the content as it comes, no faster than it is stored; PAYLOAD_TOO_LARGE beyond `maxBytes`. */
  write(
    ctx: RequestContext,
    accountId: string,
    fileId: string,
    content: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<ReceivedContent>;
  /** Removes an upload and all of its content. */
  abandon(accountId: string, fileId: string, now: Date): Promise<void>;
  /** Makes a written upload a file of the account; undefined if there is none. */
  commit(ctx: RequestContext, accountId: string, fileId: string, now: Date): Promise<StoredFile | undefined>;
  /** The file, unless it has expired. */
  find(ctx: RequestContext, accountId: string, fileId: string, now: Date): Promise<StoredFile | undefined>;
  /** Removes the file; false if there is none. */
  remove(ctx: RequestContext, accountId: string, fileId: string, now: Date): Promise<boolean>;
  /** The content of a file, piece by piece. */
  read(ctx: RequestContext, accountId: string, fileId: string): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Keeps a written upload for an approval: it counts as a file of the account, and nothing but `readHeld` finds it. False if there is no
   * such upload.
   */
  hold(
    ctx: RequestContext,
    accountId: string,
    fileId: string,
    keeper: FileKeeper,
    now: Date,
  ): Promise<boolean>;
  /** The label and the content, piece by piece, that an approval keeps; undefined if it keeps none of this id. */
  readHeld(
    ctx: RequestContext,
    accountId: string,
    of: { readonly fileId: string; readonly approvalId: string },
  ): Promise<{ readonly label: FileLabel; readonly content: AsyncIterable<Uint8Array> } | undefined>;
  /** Makes a content that an approval keeps a file of the account; undefined if it keeps none of this id. The same again changes nothing. */
  publish(
    ctx: RequestContext,
    accountId: string,
    of: { readonly fileId: string; readonly approvalId: string },
    now: Date,
  ): Promise<StoredFile | undefined>;
  /** Removes everything that is kept for an approval, or for the approvals of an end user. */
  dropHeld(
    accountId: string,
    keeper: Pick<FileKeeper, 'approvalId'> | { readonly endUserId: string },
    now: Date,
  ): Promise<void>;
}

/** Addresses under which files can be downloaded without a credential. */
export interface FileUrls {
  /** An address of the file that is valid for 15 minutes from `now`. */
  urlOf(accountId: string, fileId: string, now: Date): string;
}

/** A file that was fetched, or why it was not, for people. */
export type Fetched =
  | {
      readonly kind: 'fetched';
      readonly content: Uint8Array;
      /** Its path, if it has one. */
      readonly name: string | undefined;
      readonly contentType: string | undefined;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** Fetches files from addresses that callers choose. */
export interface FileFetcher {
  /** At most `maxBytes`, or it fails. */
  fetch(
    ctx: RequestContext,
    url: string,
    o: { readonly maxBytes: number; readonly timeoutMs: number },
  ): Promise<Fetched>;
}
