import type { JsonObject } from '@fairlead/connector-model/json';
import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval } from '../../domain/approval.ts';
import {
  fileInputsOf,
  MAX_INPUT_FILE_BYTES,
  MAX_INPUT_FILES_BYTES,
  notKept,
} from '../../domain/file-input.ts';
import type { FileInput } from '../../domain/file-input.ts';
import { fileLabel, sha256Of } from '../../domain/file.ts';
import type { FileLabel } from '../../domain/file.ts';
import type { FileFetcher, Files } from '../../ports/files.ts';

/** The store and the egress of readFileInputs. */
export interface ReadFileInputsDeps {
  readonly files: Pick<Files, 'find' | 'read' | 'readHeld'>;
  readonly fileFetcher: FileFetcher;
  readonly clock: Clock;
}

/** How the files of a call are read. */
interface ReadFilesOptions {
  /** Time limit for fetching all remaining files. */
  readonly leftMs: () => number;
  readonly approval?: Approval | undefined;
}

/** The content of one input, in memory. */
export interface ReadFile extends FileInput {
  readonly label: FileLabel;
  readonly content: Buffer;
}

/**
 * The contents of a call's files. For an address: the content stored for `approval`, or else fetched. NOT_FOUND for a file that the account
 * does not have; VALIDATION_ERROR naming the input for one that is too large (alone or together with the previous ones), cannot be fetched,
 * or is no longer stored.
 */
export async function readFileInputs(
  deps: ReadFileInputsDeps,
  ctx: RequestContext,
  { inputSchema }: { readonly inputSchema: JsonObject },
  fields: LazyObject,
  o: ReadFilesOptions,
): Promise<readonly ReadFile[]> {
  const read: ReadFile[] = [];
  let bytes = 0;
  for (const input of fileInputsOf(inputSchema, fields)) {
    const { label, content } = await readInput(deps, ctx, input, o);
    if (content.length > MAX_INPUT_FILE_BYTES) throw tooLarge(input);
    bytes += content.length;
    if (bytes > MAX_INPUT_FILES_BYTES) throw tooLargeTogether(input);
    read.push({ ...input, label, content });
  }
  return read;
}

async function readInput(
  deps: ReadFileInputsDeps,
  ctx: RequestContext,
  input: FileInput,
  o: ReadFilesOptions,
): Promise<Pick<ReadFile, 'label' | 'content'>> {
  const { source } = input;
  switch (source.kind) {
    case 'inline':
      return { label: fileLabel(source.name, undefined), content: Buffer.from(source.base64, 'base64') };
    case 'url': {
      if (o.approval !== undefined) return await readHeld(deps, ctx, input, o.approval);
      const fetched = await deps.fileFetcher.fetch(ctx, source.url, {
        maxBytes: MAX_INPUT_FILE_BYTES,
        timeoutMs: o.leftMs(),
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
      const { name, contentType } = file;
      const content = await whole(await deps.files.read(ctx, accountId, source.fileId));
      return { label: { name, contentType }, content };
    }
  }
}

/** The content stored for the call's approval; its digest must match. */
async function readHeld(
  { files }: Pick<ReadFileInputsDeps, 'files'>,
  ctx: RequestContext,
  { name }: FileInput,
  { approvalId, files: approved }: Approval,
): Promise<Pick<ReadFile, 'label' | 'content'>> {
  const file = approved.find(({ field, heldFileId }) => field === name && heldFileId !== null);
  const bytes =
    file?.heldFileId != null &&
    (await files.readHeld(ctx, accountOf(ctx), { fileId: file.heldFileId, approvalId }));
  const content = bytes ? await whole(bytes.content) : undefined;
  if (!bytes || content === undefined || sha256Of(content) !== file?.sha256) throw notKept(name);
  return { label: bytes.label, content };
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

function tooLargeTogether({ name }: FileInput): Error {
  const issue = `is too large with the other files of the call, which are at most ${MAX_INPUT_FILES_BYTES / 1024 ** 2} MiB together`;
  return validationError({ field: `fields.${name}`, issue });
}

function tooLarge({ name }: FileInput): Error {
  const issue = `must be at most ${MAX_INPUT_FILE_BYTES / 1024 ** 2} MiB`;
  return validationError({ field: `fields.${name}`, issue });
}
