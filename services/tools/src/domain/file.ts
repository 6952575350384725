import { createHash } from 'node:crypto';

/** Largest file, in bytes. Source: row completion.applications-and-tools.66. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Maximum number of an account's files, and of their total bytes; uploads in progress count. */
export const MAX_FILES = 1_000;
export const MAX_ACCOUNT_BYTES = 1024 * 1024 * 1024;
/** Share of this that anonymous clients may use, by results that become files; the rest stays for uploads. */
export const ANONYMOUS_SHARE = 0.5;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Lifetime of a file. Source: row completion.applications-and-tools.69. */
export const KEPT_MS = 7 * DAY_MS;
/**
 * Time after which an uncommitted upload is removed, and content stored for an approval is checked again: longer than any request takes.
 */
export const UPLOAD_MS = 15 * 60 * 1_000;

/** Name and media type of a file, as given by its sender. */
export interface FileLabel {
  readonly name: string;
  /** A media type. */
  readonly contentType: string;
}

/** A file of an account. */
export interface StoredFile extends FileLabel {
  readonly fileId: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** The approval for which content is stored. */
export interface FileKeeper {
  readonly approvalId: string;
  /** The end user named in the approval; null: none. */
  readonly endUserId: string | null;
  /** When the approval expires. */
  readonly until: Date;
}

/** Size and digest of a complete upload. */
export interface ReceivedContent {
  readonly sizeBytes: number;
  readonly sha256: string;
}

const MAX_NAME_LENGTH = 255;
const DEFAULT_NAME = 'file';
const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
/** RFC 9110, 8.3.1: a type, and parameters without control characters. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\s*;[\t -~]*)?$/;
const MAX_CONTENT_TYPE_LENGTH = 255;

/**
 * The label of a file: the part of the name after its last slash, without characters that a file system or a header cannot contain; an
 * invalid media type becomes application/octet-stream.
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

/** The digest of content, in hexadecimal. */
export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A key that is equal for uploads of the same content and label, however they were sent. */
export function digestOf({ name, contentType }: FileLabel, { sha256 }: ReceivedContent): string {
  return createHash('sha256')
    .update(JSON.stringify([name, contentType, sha256]))
    .digest('hex');
}
