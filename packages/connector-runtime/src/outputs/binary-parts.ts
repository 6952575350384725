import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** A part of an output that contains only bytes. */
export interface BinaryPart {
  readonly base64: string;
  readonly contentType: string | undefined;
  /** The path (names and positions) from the output to the value that consists of these bytes. */
  readonly path: readonly (string | number)[];
  /** The path from the output to the base64 text. */
  readonly textPath: readonly (string | number)[];
}

/** Base64 text. A masked text contains `*` and does not match. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The binary body of a response `{status, headers, body: {base64}}`; undefined if the body is not binary. */
export function* binaryBody({ status, headers, body }: JsonObject): Generator<BinaryPart> {
  if (typeof status !== 'number' || !isJsonObject(body) || Object.keys(body).length !== 1) return;
  const contentType = isJsonObject(headers) ? headers['content-type'] : undefined;
  yield* partOf(body['base64'], contentType, ['body'], ['body', 'base64']);
}

/**
 * The bytes in an MCP tool's result `{content}`: images, sounds and resources. A result with other members is the
 * tool's structured content. Source: MCP, "Tool Result".
 */
export function* binaryContent({ content, ...others }: JsonObject): Generator<BinaryPart> {
  if (!isJsonArray(content) || Object.keys(others).length > 0) return;
  for (const [index, block] of content.entries()) {
    if (!isJsonObject(block)) continue;
    const { type, data, mimeType, resource } = block;
    if (type === 'image' || type === 'audio') yield* partOf(data, mimeType, ['content', index, 'data']);
    else if (type === 'resource' && isJsonObject(resource))
      yield* partOf(resource['blob'], resource['mimeType'], ['content', index, 'resource', 'blob']);
  }
}

/** The output of an MCP tool, with each binary content replaced by its number of bytes. */
export function withoutBytes(output: JsonObject): JsonObject {
  const { content, ...others } = output;
  if (!isJsonArray(content) || Object.keys(others).length > 0) return output;
  return { content: content.map(blockWithoutBytes) };
}

function blockWithoutBytes(block: Json): Json {
  if (!isJsonObject(block)) return block;
  const { type, data, resource } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return { ...block, data: cutBytes(data) };
  if (type !== 'resource' || !isJsonObject(resource) || typeof resource['blob'] !== 'string') return block;
  return { ...block, resource: { ...resource, blob: cutBytes(resource['blob']) } };
}

function cutBytes(base64: string): string {
  return `[cut: ${Buffer.byteLength(base64, 'base64')} bytes]`;
}

/** The text at a path; undefined if there is none. */
export function textAt(output: JsonObject, path: BinaryPart['path']): string | undefined {
  let part: Json | undefined = output;
  for (const key of path) {
    if (isJsonArray(part)) part = part[Number(key)];
    else part = isJsonObject(part) ? part[key] : undefined;
  }
  return typeof part === 'string' ? part : undefined;
}

function* partOf(
  base64: Json | undefined,
  contentType: Json | undefined,
  path: BinaryPart['path'],
  textPath = path,
): Generator<BinaryPart> {
  if (typeof base64 !== 'string' || !BASE64.test(base64)) return;
  yield { base64, contentType: typeof contentType === 'string' ? contentType : undefined, path, textPath };
}
