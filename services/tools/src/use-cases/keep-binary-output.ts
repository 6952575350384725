import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/model';
import { isBinaryBody } from '@fairlead/connector-runtime/http/body';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { fileLabel } from '../domain/file.ts';
import type { StoredFile } from '../domain/file.ts';
import type { Files, FileUrls } from '../ports/files.ts';

/** What keepBinaryOutput needs. */
export interface KeepBinaryOutputDeps {
  readonly files: Pick<Files, 'open' | 'write' | 'commit' | 'abandon'>;
  readonly urls: FileUrls;
  readonly clock: Clock;
}

/** An output for its caller, and for the history, which holds no address that gives access. */
export interface KeptOutput {
  readonly answer: JsonObject;
  readonly stored: JsonObject;
}

/**
 * Stores a binary body of a vendor's response (`{status, headers, body: {base64}}`) as a file of the account, which then stands
 * in its place. A body in which a secret was masked (`received` differs), and one that cannot be stored, stays as it is: the
 * vendor has been called.
 */
export async function keepBinaryOutput(
  deps: KeepBinaryOutputDeps,
  ctx: RequestContext,
  received: JsonObject,
  output: JsonObject,
): Promise<KeptOutput> {
  const unchanged = { answer: output, stored: output };
  const base64 = base64Of(output);
  if (base64 === undefined || base64 !== base64Of(received)) return unchanged;
  const contentType = contentTypeOf(output);
  const content = Buffer.from(base64, 'base64');
  if (!isBinaryBody(content, contentType)) return unchanged;
  try {
    const file = await store(deps, ctx, content, contentType);
    const { fileId, sizeBytes, sha256 } = file;
    const reference = { fileId, sizeBytes, sha256, contentType: file.contentType };
    const url = deps.urls.urlOf(accountOf(ctx), fileId, deps.clock.now());
    return {
      answer: { ...output, body: { ...reference, url } },
      stored: { ...output, body: reference },
    };
  } catch (error) {
    ctx.log.warn({ err: error }, 'a binary output was not stored as a file');
    return unchanged;
  }
}

async function store(
  { files, clock }: KeepBinaryOutputDeps,
  ctx: RequestContext,
  content: Uint8Array,
  contentType: string | undefined,
): Promise<StoredFile> {
  const accountId = accountOf(ctx);
  const maxBytes = content.length;
  const now = clock.now();
  const label = fileLabel(undefined, contentType);
  const fileId = await files.open(ctx, accountId, { label, maxBytes, now });
  try {
    await files.write(ctx, accountId, fileId, once(content), maxBytes);
    const file = await files.commit(ctx, accountId, fileId, now);
    if (file === undefined) throw new Error('The file is gone.');
    return file;
  } catch (error) {
    // If that fails too, the sweep removes it.
    await files.abandon(accountId, fileId, now).catch(() => undefined);
    throw error;
  }
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}

/** The bytes of a response's body, if it has nothing but bytes. */
function base64Of({ status, body }: JsonObject): string | undefined {
  if (typeof status !== 'number' || !isJsonObject(body)) return undefined;
  const { base64, ...others } = body;
  return typeof base64 === 'string' && Object.keys(others).length === 0 ? base64 : undefined;
}

function contentTypeOf({ headers }: JsonObject): string | undefined {
  const value = isJsonObject(headers) ? headers['content-type'] : undefined;
  return typeof value === 'string' ? value : undefined;
}
