import type { JsonObject } from '@fairlead/connector-model/model';
import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { withMembers } from '@fairlead/service-kit/json/deferred-json';
import { fileInputsOf, MAX_INPUT_FILE_BYTES, MAX_INPUT_FILES_BYTES } from '../domain/file-input.ts';
import type { FileInput } from '../domain/file-input.ts';
import { fileLabel } from '../domain/file.ts';
import type { FileLabel } from '../domain/file.ts';
import type { FileFetcher, Files } from '../ports/files.ts';

/** What resolveFileInputs needs. */
export interface ResolveFileInputsDeps {
  readonly files: Pick<Files, 'find' | 'read'>;
  readonly fileFetcher: FileFetcher;
  readonly clock: Clock;
}

interface Resolved {
  readonly label: FileLabel;
  readonly content: Buffer;
}

/**
 * The fields of a call with the content of each file in place of what names it: `{name, contentType, base64}`. NOT_FOUND for a
 * file that the account does not have; VALIDATION_ERROR naming the input for one that is too large, alone or with those before it, or
 * cannot be fetched.
 */
export async function resolveFileInputs(
  deps: ResolveFileInputsDeps,
  ctx: RequestContext,
  { inputSchema }: { readonly inputSchema: JsonObject },
  fields: JsonObject,
  timeoutMs: number,
): Promise<JsonObject> {
  const inputs = fileInputsOf(inputSchema, fields);
  if (inputs.length === 0) return fields;
  const resolved: Record<string, JsonObject> = {};
  let bytes = 0;
  for (const input of inputs) {
    const { label, content } = await resolve(deps, ctx, input, timeoutMs);
    if (content.length > MAX_INPUT_FILE_BYTES) throw tooLarge(input);
    bytes += content.length;
    if (bytes > MAX_INPUT_FILES_BYTES) throw tooLargeTogether(input);
    resolved[input.name] = { ...label, base64: content.toString('base64') };
  }
  return withMembers(fields, resolved);
}

async function resolve(
  deps: ResolveFileInputsDeps,
  ctx: RequestContext,
  input: FileInput,
  timeoutMs: number,
): Promise<Resolved> {
  const { source } = input;
  switch (source.kind) {
    case 'inline':
      return { label: fileLabel(source.name, undefined), content: Buffer.from(source.base64, 'base64') };
    case 'url': {
      const fetched = await deps.fileFetcher.fetch(ctx, source.url, {
        maxBytes: MAX_INPUT_FILE_BYTES,
        timeoutMs,
      });
      if (fetched.kind === 'failed')
        throw validationError({
          field: `fields.${input.name}.url`,
          issue: `could not be fetched: ${fetched.reason}`,
        });
      return { label: fileLabel(fetched.name, fetched.contentType), content: Buffer.from(fetched.content) };
    }
    case 'stored': {
      const accountId = accountOf(ctx);
      const file = await deps.files.find(ctx, accountId, source.fileId, deps.clock.now());
      if (file === undefined) throw notFound('file');
      if (file.sizeBytes > MAX_INPUT_FILE_BYTES) throw tooLarge(input);
      const pieces: Uint8Array[] = [];
      for await (const piece of await deps.files.read(ctx, accountId, source.fileId)) pieces.push(piece);
      return { label: file, content: Buffer.concat(pieces) };
    }
  }
}

function tooLargeTogether({ name }: FileInput): Error {
  const issue = `is too large with the other files of the call, which are at most ${MAX_INPUT_FILES_BYTES / 1024 ** 2} MiB together`;
  return validationError({ field: `fields.${name}`, issue });
}

function tooLarge({ name }: FileInput): Error {
  const issue = `must be at most ${MAX_INPUT_FILE_BYTES / 1024 ** 2} MiB`;
  return validationError({ field: `fields.${name}`, issue });
}
