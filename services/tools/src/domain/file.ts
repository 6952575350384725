import { createHash } from 'node:crypto';

/** The largest file. Source: row completion.applications-and-tools.66. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** The most files of an account, and the most bytes in them together; uploads in progress count. */
export const MAX_FILES = 1_000;
export const MAX_ACCOUNT_BYTES = 1024 * 1024 * 1024;
/** The part of that which clients without a credential may fill, by results that become files: the rest stays for uploads. */
export const ANONYMOUS_SHARE = 0.5;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long a file is kept. Source: row completion.applications-and-tools.69. */
export const KEPT_MS = 7 * DAY_MS;
/** An upload that is not committed by then is removed, and a content that is kept is checked again: longer than any request takes. */
export const UPLOAD_MS = 15 * 60 * 1_000;

/** The name and the type of a file, as its sender gave them. */
export interface FileLabel {
  readonly name: string;
  /** A media type. */
  readonly contentType: string;
}

/** A file of an account. */
export interface StoredFile extends FileLabel {
  readonly fileId: string;
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** The approval that a content is kept for. */
export interface FileKeeper {
  readonly approvalId: string;
  /** The end user whom the approval names; null: none. */
  readonly endUserId: string | null;
  /** When the approval ends by itself. */
  readonly until: Date;
}

/** The bytes of an upload once all have arrived. */
export interface ReceivedContent {
  readonly sizeBytes: number;
  readonly sha256: string;
}

const MAX_NAME_LENGTH = 255;
const DEFAULT_NAME = 'file';
const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
/** RFC 9110, 8.3.1: a type and parameters without control characters. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\s*;[\t -~]*)?$/;
const MAX_CONTENT_TYPE_LENGTH = 255;

/**
 * The label of a file: of the name only what is after its last slash, without characters that a file system or a header
 * cannot hold; a media type that is none becomes application/octet-stream.
 */
export function fileLabel(name: string | undefined, contentType: string | undefined): FileLabel {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
  const cut = plain.slice(0, MAX_NAME_LENGTH).toWellFormed();
  const type = contentType?.trim() ?? '';
  const isMediaType = type.length <= MAX_CONTENT_TYPE_LENGTH && MEDIA_TYPE.test(type);
  return {
    name: /^\.{0,2}$/.test(cut) ? DEFAULT_NAME : cut,
    contentType: isMediaType ? type : DEFAULT_CONTENT_TYPE,
  };
}

/** The digest of a content, in hexadecimal digits. */
export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The same for uploads of the same content under the same label, however they were sent. */
export function digestOf({ name, contentType }: FileLabel, { sha256 }: ReceivedContent): string {
  return createHash('sha256')
    .update(JSON.stringify([name, contentType, sha256]))
    .digest('hex');
}
