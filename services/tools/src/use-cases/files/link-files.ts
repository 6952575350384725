import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { ApiError } from '@fairlead/errors/api-error';
import type { FilePart } from '@fairlead/evaluation/divided-result';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { DIVISION } from '../../domain/division.ts';
import { fileLabel } from '../../domain/file.ts';
import type { StoredFile } from '../../domain/file.ts';
import type { KeepBinaryOutputDeps } from './keep-binary-output.ts';
import { storeContent } from './store-content.ts';

const MIB = 1024 * 1024;

/** Member of `_meta` that describes the files of a result, for programs. */
const FILES_KEY = 'dev.fairlead/files';
/** Member of structured content that marks it as a preview. */
const CUT_MEMBER = '[cut]';

/** A result that was divided into files. */
interface ResultParts {
  readonly preview: JsonObject;
  readonly files: readonly FilePart[];
  /** Whether structured content matches the tool's output schema. */
  readonly fits: (structuredContent: JsonObject) => Promise<boolean>;
}

/**
 * Stores the files of a large result for the account, and refers to each at its place, by text and link. A file that cannot be stored is
 * only described in the text, because the vendor was already called. Clients refuse structured content that violates its schema, unless the
 * result is an error; so such content is left out, and the text says that the call succeeded.
 */
export async function linkFiles(
  deps: KeepBinaryOutputDeps,
  ctx: RequestContext,
  { preview, files, fits }: ResultParts,
): Promise<JsonObject> {
  const { content, structuredContent, _meta: meta, ...others } = preview;
  const blocks: Json[] = isJsonArray(content) ? [...content] : [];
  const described: JsonObject[] = [];
  let note: string | undefined;
  let added = 0;
  for (const part of files) {
    const stored = await store(deps, ctx, part);
    const text = noteOf(part, stored);
    if (part.isWhole) note = text;
    const named = [{ type: 'text', text }, ...('link' in stored ? [stored.link] : [])];
    blocks.splice(part.at + added, 0, ...named);
    added += named.length;
    if ('description' in stored) described.push(stored.description);
  }
  const result = {
    content: blocks,
    ...others,
    _meta: { ...(isJsonObject(meta) && meta), [FILES_KEY]: described },
  };
  if (!isJsonObject(structuredContent)) return result;
  const cut = note === undefined ? structuredContent : { ...structuredContent, [CUT_MEMBER]: note };
  return (await fits(cut)) ? { ...result, structuredContent: cut } : { ...result, isError: true };
}

type StoreResult =
  | {
      readonly url: string;
      readonly file: StoredFile;
      readonly link: JsonObject;
      readonly description: JsonObject;
    }
  | { readonly reason: string };

async function store(
  deps: KeepBinaryOutputDeps,
  ctx: RequestContext,
  { contentType, content, isWhole }: FilePart,
): Promise<StoreResult> {
  const label = fileLabel(isWhole ? 'result' : undefined, contentType);
  const accountId = accountOf(ctx);
  try {
    const file = await storeContent(deps, ctx, { label, content }, (id) =>
      deps.files.commit(ctx, accountId, id, deps.clock.now()),
    );
    const { fileId, name, sizeBytes, sha256, contentType: mimeType } = file;
    const url = deps.urls.urlOf(accountId, fileId, deps.clock.now());
    return {
      url,
      file,
      link: { type: 'resource_link', uri: url, name, mimeType, size: sizeBytes },
      description: { fileId, url, sizeBytes, sha256, contentType: mimeType },
    };
  } catch (error) {
    ctx.log.warn({ err: error }, 'a part of a large result was not stored as a file');
    return { reason: error instanceof ApiError ? error.message : 'An internal error occurred.' };
  }
}

/** The text that replaces a file. */
function noteOf({ content, contentType, isWhole }: FilePart, stored: StoreResult): string {
  const size = `${(content.length / MIB).toFixed(2)} MiB`;
  const what = isWhole
    ? `The call succeeded. This is a preview of its result, which has ${size}: a call returns at most ${DIVISION.maxBytes / MIB} MiB. The whole result`
    : `A part of the result (${contentType || 'bytes'}, ${size})`;
  if ('reason' in stored) return `${what} could not be stored as a file: ${stored.reason}`;
  const { url, file } = stored;
  return `${what} is a file: ${url}\nThe address is valid for 15 minutes. Until ${file.expiresAt.toISOString()} GET /v1/files/${file.fileId} gives another one.`;
}
