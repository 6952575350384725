import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isBinaryBody } from '@fairlead/connector-runtime/http/body';
import { binaryBody, binaryContent, textAt } from '@fairlead/connector-runtime/outputs/binary-parts';
import type { BinaryPart } from '@fairlead/connector-runtime/outputs/binary-parts';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { fileLabel } from '../../domain/file.ts';
import type { Files, FileUrls } from '../../ports/files.ts';
import { storeContent } from './store-content.ts';
import type { StoreContentDeps } from './store-content.ts';

export interface KeepBinaryOutputDeps {
  readonly files: StoreContentDeps['files'] & Pick<Files, 'commit'>;
  readonly urls: FileUrls;
  readonly clock: Clock;
}

/** The vendor's output. */
interface ReceivedOutput {
  readonly received: JsonObject;
  /** The masked output. */
  readonly output: JsonObject;
  /** Whether the tool belongs to an MCP server. */
  readonly isMcp: boolean;
}

/** An output for its caller, and for the history, which contains no signed addresses. */
export interface OutputVersions {
  readonly answer: JsonObject;
  readonly stored: JsonObject;
}

/** Maximum number of files per output; further binary parts stay as they are. */
const MAX_FILES = 10;

/**
 * Replaces the binary parts of an output by files of the account: the binary body of a vendor's response (`{status, headers, body:
 * {base64}}`), and images, audio and resources of an MCP tool (`isMcp`). Parts in which a secret was masked (`received` differs), or that
 * cannot be stored, stay as they are, because the vendor was already called.
 */
export async function keepBinaryOutput(
  deps: KeepBinaryOutputDeps,
  ctx: RequestContext,
  { received, output, isMcp }: ReceivedOutput,
): Promise<OutputVersions> {
  let kept: OutputVersions = { answer: output, stored: output };
  let stored = 0;
  for (const { base64, contentType, path, textPath } of isMcp ? binaryContent(output) : binaryBody(output)) {
    if (stored === MAX_FILES) break;
    if (textAt(received, textPath) !== base64) continue;
    const content = Buffer.from(base64, 'base64');
    // Only exact base64: other texts would decode, too, and be lost.
    if (content.toString('base64') !== base64) continue;
    if (!isMcp && !isBinaryBody(content, contentType)) continue;
    stored += 1;
    try {
      const label = fileLabel(undefined, contentType);
      const file = await storeContent(deps, ctx, { label, content }, (fileId) =>
        deps.files.commit(ctx, accountOf(ctx), fileId, deps.clock.now()),
      );
      const { fileId, sizeBytes, sha256 } = file;
      const reference = { fileId, sizeBytes, sha256, contentType: file.contentType };
      const url = deps.urls.urlOf(accountOf(ctx), fileId, deps.clock.now());
      kept = {
        answer: withValue(kept.answer, path, { ...reference, url }),
        stored: withValue(kept.stored, path, reference),
      };
    } catch (error) {
      ctx.log.warn({ err: error }, 'a binary output was not stored as a file');
      return kept;
    }
  }
  return kept;
}

/** A copy of an output with another value at an existing path. */
function withValue(output: JsonObject, path: BinaryPart['path'], value: JsonObject): JsonObject {
  const replaced = (part: Json | undefined, [key, ...rest]: BinaryPart['path']): Json => {
    if (key === undefined) return value;
    if (isJsonArray(part)) return part.with(Number(key), replaced(part[Number(key)], rest));
    return isJsonObject(part) ? { ...part, [key]: replaced(part[key], rest) } : value;
  };
  const [name = '', ...rest] = path;
  return { ...output, [name]: replaced(output[name], rest) };
}
