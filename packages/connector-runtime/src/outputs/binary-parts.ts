import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';

/** A text of an output that is nothing but bytes. */
export interface BinaryPart {
  readonly base64: string;
  readonly contentType: string | undefined;
  /** The names and positions from the output down to the value that the bytes are the whole of. */
  readonly path: readonly (string | number)[];
}

/** Also tells that nothing in it is masked. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The body of a response, `{status, headers, body: {base64}}`, if it has nothing but bytes. */
export function binaryBody({ status, headers, body }: JsonObject): readonly BinaryPart[] {
  if (typeof status !== 'number' || !isJsonObject(body) || Object.keys(body).length !== 1) return [];
  const contentType = isJsonObject(headers) ? headers['content-type'] : undefined;
  return partOf(body['base64'], contentType, ['body']);
}

/** The bytes in the content of an MCP tool's result: of images, sounds and resources. Source: MCP, "Tool Result". */
export function binaryContent({ content }: JsonObject): readonly BinaryPart[] {
  if (!isJsonArray(content)) return [];
  return content.flatMap((block, index) => {
    if (!isJsonObject(block)) return [];
    const { type, data, mimeType, resource } = block;
    if (type === 'image' || type === 'audio') return partOf(data, mimeType, ['content', index, 'data']);
    if (type !== 'resource' || !isJsonObject(resource)) return [];
    return partOf(resource['blob'], resource['mimeType'], ['content', index, 'resource', 'blob']);
  });
}

function partOf(
  base64: Json | undefined,
  contentType: Json | undefined,
  path: BinaryPart['path'],
): readonly BinaryPart[] {
  if (typeof base64 !== 'string' || !BASE64.test(base64)) return [];
  return [{ base64, contentType: typeof contentType === 'string' ? contentType : undefined, path }];
}
