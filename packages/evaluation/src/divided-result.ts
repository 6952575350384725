import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { binaryContent } from '@fairlead/connector-runtime/outputs/binary-parts';
import { beginningOf, previewOf } from '@fairlead/connector-runtime/outputs/json-preview';

/** A part of a large result that becomes a file. */
export interface FilePart {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** The position in the result's content at which the file is named. */
  readonly at: number;
  /** Whether the file is the whole result, of which only the beginning stays in the answer. */
  readonly isWhole: boolean;
}

/** A result with some parts taken out as files; the caller still has to add a text block for each file. */
interface DividedResult {
  readonly result: JsonObject;
  readonly files: readonly FilePart[];
}

/** The sizes at which a result is divided. */
export interface DividedSizes {
  /** Maximum bytes of a result that stays whole. */
  readonly maxBytes: number;
  /** If a result is larger, about this many bytes of its beginning stay in it. */
  readonly previewBytes: number;
}

/** Maximum number of images, sounds and resources of one result that become files. */
const MAX_BINARY_FILES = 10;
const TEXT = 'text/plain; charset=utf-8';
const JSON_TEXT = 'application/json';

/**
 * Divides a result of an MCP server that is too large. Large images, sounds and binary resources become files of their own; if the rest is
 * still too large, it becomes one more, and its beginning remains.
 */
export function divideMcpResult(result: JsonObject, sizes: DividedSizes): DividedResult {
  const { content, ...members } = result;
  const blocks = isJsonArray(content) ? content : [];
  const files = binaryFiles(blocks, sizes.previewBytes);
  const rest = { ...members, content: blocks.filter((_block, at) => !files.has(at)) };
  const json = JSON.stringify(rest);
  const isSmall = Buffer.byteLength(json) <= sizes.maxBytes;
  const preview = isSmall ? blocks : beginningOfBlocks(blocks, files, sizes.previewBytes);
  const kept: Json[] = [];
  const parts: FilePart[] = [];
  for (const [at, block] of blocks.entries()) {
    const file = files.get(at);
    if (file !== undefined) parts.push({ ...file, at: kept.length, isWhole: false });
    else if (preview[at] !== undefined) kept.push(isSmall ? block : preview[at]);
  }
  if (isSmall) return { result: { ...members, content: kept }, files: parts };
  const { structuredContent, ...others } = members;
  parts.push({ ...wholeFile(rest, json), at: kept.length, isWhole: true });
  return {
    result: {
      ...previewOf(others, sizes.previewBytes),
      content: kept,
      ...(isJsonObject(structuredContent) && {
        structuredContent: previewOf(structuredContent, sizes.previewBytes),
      }),
    },
    files: parts,
  };
}

/** Divides the output of a tool that is not an MCP server's. The result has the same form as for divideMcpResult. */
export function divideOutput(output: JsonObject, json: Uint8Array, sizes: DividedSizes): DividedResult {
  const structuredContent = previewOf(output, sizes.previewBytes);
  const text = JSON.stringify(structuredContent);
  return {
    result: { content: [{ type: 'text', text }], structuredContent },
    files: [{ contentType: JSON_TEXT, content: json, at: 1, isWhole: true }],
  };
}

/** The blocks that become files, by their positions. */
function binaryFiles(blocks: readonly Json[], minLength: number) {
  const files = new Map<number, Pick<FilePart, 'contentType' | 'content'>>();
  for (const { base64, contentType = '', path } of binaryContent({ content: blocks })) {
    if (files.size === MAX_BINARY_FILES) break;
    if (base64.length < minLength) continue;
    const content = Buffer.from(base64, 'base64');
    // The decoder also accepts texts that are not base64; these would be lost.
    if (content.toString('base64') === base64) files.set(Number(path[1]), { contentType, content });
  }
  return files;
}

/** The first blocks that fit together, and the beginning of the next one if it is text; undefined for the others. */
function beginningOfBlocks(
  blocks: readonly Json[],
  files: ReadonlyMap<number, unknown>,
  maxBytes: number,
): readonly (Json | undefined)[] {
  let left = maxBytes;
  return blocks.map((block, at) => {
    if (files.has(at) || left <= 0) return undefined;
    const preview = beginningOfBlock(block, left);
    left -= Buffer.byteLength(JSON.stringify(preview));
    if (left >= 0) return preview;
    // Blocks of another kind are kept whole or dropped.
    return preview === block ? undefined : preview;
  });
}

function beginningOfBlock(block: Json, maxLength: number): Json {
  if (!isJsonObject(block)) return block;
  const { text, resource } = block;
  if (typeof text === 'string' && text.length > maxLength)
    return { ...block, text: beginningOf(text, maxLength) };
  if (isJsonObject(resource) && typeof resource['text'] === 'string' && resource['text'].length > maxLength)
    return { ...block, resource: { ...resource, text: beginningOf(resource['text'], maxLength) } };
  return block;
}

/** The file that holds a whole result: a text file if the result is one text, else the JSON. */
function wholeFile(
  { content, ...others }: JsonObject & { readonly content: readonly Json[] },
  json: string,
): Pick<FilePart, 'contentType' | 'content'> {
  const [block, second] = content;
  const text = second === undefined && !('structuredContent' in others) ? textOfBlock(block) : undefined;
  return text ?? { contentType: JSON_TEXT, content: Buffer.from(json) };
}

function textOfBlock(block: Json | undefined): Pick<FilePart, 'contentType' | 'content'> | undefined {
  if (!isJsonObject(block)) return undefined;
  const { text, resource } = block;
  if (typeof text === 'string') return { contentType: TEXT, content: Buffer.from(text) };
  if (!isJsonObject(resource) || typeof resource['text'] !== 'string') return undefined;
  const { mimeType } = resource;
  return {
    contentType: typeof mimeType === 'string' ? mimeType : TEXT,
    content: Buffer.from(resource['text']),
  };
}
