import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';

/** The largest file of a call: it is in memory while the vendor is called. */
export const MAX_INPUT_FILE_BYTES = 10 * 1024 * 1024;

/** A file as a caller names it (completion.md "Applications and tools"). */
export type FileSource =
  | { readonly kind: 'stored'; readonly fileId: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'inline'; readonly base64: string; readonly name: string };

/** An input that is a file. */
export interface FileInput {
  /** The name of the input. */
  readonly name: string;
  readonly source: FileSource;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The inputs of a call that its tool declares with `format: file`. VALIDATION_ERROR naming each that is not one of
 * `{fileId}`, `{url}` and `{base64, name}`.
 */
export function fileInputsOf(inputSchema: JsonObject, fields: JsonObject): readonly FileInput[] {
  const found = namesOf(inputSchema).flatMap((name) => {
    const value = fields[name];
    return value === undefined || value === null ? [] : [{ name, source: sourceOf(value) }];
  });
  const wrong = found.filter(({ source }) => source === undefined);
  const issue = 'must be {fileId}, {url} or {base64, name}';
  if (wrong.length > 0)
    throw validationError(...wrong.map(({ name }) => ({ field: `fields.${name}`, issue })));
  return found.flatMap(({ name, source }) => (source === undefined ? [] : [{ name, source }]));
}

/** The fields for the history: of a file that was sent along, only what it was called and its size. */
export function withoutContents(inputSchema: JsonObject, fields: JsonObject): JsonObject {
  const inline = fileInputsOf(inputSchema, fields).flatMap(({ name, source }) =>
    source.kind === 'inline'
      ? [[name, { name: source.name, sizeBytes: Buffer.byteLength(source.base64, 'base64') }] as const]
      : [],
  );
  return inline.length === 0 ? fields : { ...fields, ...Object.fromEntries(inline) };
}

function namesOf({ properties }: JsonObject): readonly string[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && schema['format'] === 'file' ? [name] : [],
  );
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
