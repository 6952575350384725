import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { fileNames } from './file-schema.ts';
import { fileLabel } from './file.ts';
import type { FileLabel } from './file.ts';

/** Largest file of a call, and of all its files together: they are in memory during the vendor's call. */
export const MAX_INPUT_FILE_BYTES = 10 * 1024 * 1024;
export const MAX_INPUT_FILES_BYTES = 2 * MAX_INPUT_FILE_BYTES;

/** A file input (row completion.applications-and-tools.71). */
export type FileSource =
  | { readonly kind: 'stored'; readonly fileId: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'inline'; readonly base64: string; readonly name: string };

export interface FileInput {
  /** The name of the input. */
  readonly name: string;
  readonly source: FileSource;
}

const FILE_ID = /^file_[0-9A-Za-z]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The inputs of a call that its tool declares with `format: file`. VALIDATION_ERROR naming each that is not `{fileId}`, `{url}` or
 * `{base64, name}`.
 */
export function fileInputsOf(inputSchema: JsonObject, fields: LazyObject): readonly FileInput[] {
  const found: FileInput[] = [];
  const issues: FieldIssue[] = [];
  for (const name of fileNames(inputSchema)) {
    const { [name]: value = null } = fields;
    if (value === null) continue;
    const source = sourceOf(parsed(value));
    if (source === undefined)
      issues.push({ field: `fields.${name}`, issue: 'must be {fileId}, {url} or {base64, name}' });
    else if (source.kind === 'stored' && !FILE_ID.test(source.fileId))
      issues.push({ field: `fields.${name}.fileId`, issue: 'must be the id of a file' });
    else found.push({ name, source });
  }
  if (issues.length > 0) throw validationError(...issues);
  return found;
}

/** The fields with each file input normalized, for a workflow's approval: its steps may read every part of an input. */
export function withPlainFiles(inputSchema: JsonObject, fields: LazyObject): LazyObject {
  const plain = fileInputsOf(inputSchema, fields).map(
    ({ name, source }) => [name, plainSource(source)] as const,
  );
  return plain.length === 0 ? fields : { ...fields, ...Object.fromEntries(plain) };
}

function plainSource(source: FileSource): JsonObject {
  switch (source.kind) {
    case 'stored':
      return { fileId: source.fileId };
    case 'url':
      return { url: source.url };
    case 'inline':
      return {
        base64: Buffer.from(source.base64, 'base64').toString('base64'),
        name: fileLabel(source.name, undefined).name,
      };
  }
}

/** The content fetched for an approval is gone, or differs. */
export function notKept(name: string): Error {
  return validationError({
    field: `fields.${name}.url`,
    issue: 'is no longer stored as it was approved: reject the approval, and request another one',
  });
}

/** The fields for the vendor: each file that was read becomes `{name, contentType, base64}`. */
export function withContents(
  fields: LazyObject,
  files: readonly { readonly name: string; readonly label: FileLabel; readonly content: Buffer }[],
): LazyObject {
  if (files.length === 0) return fields;
  const contents = files.map(
    ({ name, label, content }) => [name, { ...label, base64: content.toString('base64') }] as const,
  );
  return { ...fields, ...Object.fromEntries(contents) };
}

/** The fields for the history: a file sent with the request is replaced by its name and size. */
export function withoutContents(inputSchema: JsonObject, fields: LazyObject): LazyObject {
  const inline = fileInputsOf(inputSchema, fields).flatMap(({ name, source }) =>
    source.kind === 'inline'
      ? [[name, { name: source.name, sizeBytes: Buffer.byteLength(source.base64, 'base64') }] as const]
      : [],
  );
  return inline.length === 0 ? fields : { ...fields, ...Object.fromEntries(inline) };
}

function sourceOf(value: Json): FileSource | undefined {
  if (!isJsonObject(value)) return undefined;
  const { fileId, url, base64, name } = value;
  if ([fileId, url, base64].filter((each) => each !== undefined).length !== 1) return undefined;
  if (typeof fileId === 'string') return { kind: 'stored', fileId };
  if (typeof url === 'string' && /^https?:\/\//i.test(url)) return { kind: 'url', url };
  return typeof base64 === 'string' && BASE64.test(base64) && typeof name === 'string' && name !== ''
    ? { kind: 'inline', base64, name }
    : undefined;
}
