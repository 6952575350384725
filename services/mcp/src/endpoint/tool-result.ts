import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { McpClient } from '../domain/mcp-client.ts';
import type { CallOutcome } from '../ports/tool-calls.ts';
import { RPC_ERRORS, RpcError } from './json-rpc.ts';
import { SERVER_INFO_KEY } from './request-envelope.ts';

/** The result of a tool call. */
export type ToolResult = {
  readonly content: readonly LazyValue[];
  readonly structuredContent?: LazyJson;
  readonly isError?: true;
  readonly _meta?: { readonly [ERROR_CODE]?: string; readonly [CONNECT_URL]?: string };
};

/** Member of `_meta` with the code of a refused call, for programs. */
const ERROR_CODE = 'dev.fairlead/errorCode';
/** Member of `_meta` with the address at which the user connects an application. */
const CONNECT_URL = 'dev.fairlead/connectUrl';

/** Member of `_meta` that describes files linked in a result; texts in the content say the same. */
const FILES = 'dev.fairlead/files';

const TEMPORARY = new Set(['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMIT_EXCEEDED', 'INTERNAL']);
/** Codes of errors about the caller, which apply to the whole request. */
const OF_CALLER = new Set(['UNAUTHORIZED', 'ACCOUNT_USER_INACTIVE']);

/**
 * The result of a successful call. Content blocks of another MCP server's tool are passed on; any other output becomes structured content,
 * and also text for clients that read only text.
 */
export function successResult(output: Uint8Array, isUpstream: boolean): ToolResult {
  const json = new LazyJson(output, 'output');
  const blocks = isUpstream ? blocksOf(json) : undefined;
  if (blocks !== undefined) return { content: blocks.map(protocolBlock) };
  return { content: [textBlock(json.text)], structuredContent: json };
}

/** A result of another MCP server, unparsed. */
export type UpstreamResult = Readonly<Record<string, LazyValue>>;

/**
 * The result of another MCP server for one client, without the server's description of itself. `resultType` stays only for stateless
 * clients, and links to our files only for clients that know links. INTERNAL if the bytes are not an object.
 */
export function resultForClient(bytes: Uint8Array, { isStateless, takesLinks }: McpClient): UpstreamResult {
  const members = membersOf(bytes);
  if (members === undefined) throw new ApiError('INTERNAL', 'The result of the MCP server is not an object.');
  const { _meta: meta, resultType, ...result } = members;
  const { [SERVER_INFO_KEY]: _serverInfo, ...kept } = (meta && membersOf(meta.bytes)) ?? {};
  const { content } = result;
  return {
    ...result,
    ...(!takesLinks && FILES in kept && content && { content: withoutLinks(content) }),
    ...(isStateless && resultType !== undefined && { resultType }),
    ...(Object.keys(kept).length > 0 && { _meta: kept }),
  };
}

function withoutLinks(content: LazyJson): LazyValue {
  const blocks = content.parse();
  return Array.isArray(blocks)
    ? blocks.filter((block) => !isObject(block) || block['type'] !== 'resource_link')
    : blocks;
}

/** The unchanged JSON-RPC error of another MCP server. */
export function errorOfUpstream(bytes: Uint8Array): RpcError {
  const { code, message, data } = membersOf(bytes) ?? {};
  const number = code?.parse();
  const text = message?.parse();
  return new RpcError(
    Number.isInteger(number) ? Number(number) : RPC_ERRORS.internalError,
    typeof text === 'string' ? text : 'The MCP server returned an error.',
    data,
  );
}

function membersOf(bytes: Uint8Array): Readonly<Record<string, LazyJson>> | undefined {
  const members = objectSlices(bytes);
  return members && Object.fromEntries([...members].map(([name, json]) => [name, new LazyJson(json, name)]));
}

/** Converts a call's outcome to its result, or throws its RpcError. `isUpstream`: the tool comes from another MCP server. */
export function outcomeResult(
  outcome: CallOutcome,
  isUpstream: boolean,
  client: McpClient,
): ToolResult | UpstreamResult {
  switch (outcome.kind) {
    case 'mcpResult':
      return resultForClient(outcome.result, client);
    case 'mcpError':
      throw errorOfUpstream(outcome.error);
    case 'output':
      return successResult(outcome.output, isUpstream);
    case 'failure':
      return failureResult(outcome.errorMessage);
  }
}

/** The result of a failed call. */
export function failureResult(text: string): ToolResult {
  return { content: [textBlock(text)], isError: true };
}

/** The result of a call that needs its user to open a page first. */
export function linkResult(o: {
  readonly reason: string;
  readonly url: string;
  /** Code of the refusal; undefined: the call was made. */
  readonly errorCode: string | undefined;
}): ToolResult {
  const { reason, url, errorCode } = o;
  const lines = [
    errorCode === undefined ? reason : `${errorCode}: ${reason}`,
    `Open this page as the user who calls, connect the application, and send the same call again: ${url}`,
  ];
  return {
    ...failureResult(lines.join('\n')),
    _meta: { ...(errorCode !== undefined && { [ERROR_CODE]: errorCode }), [CONNECT_URL]: url },
  };
}

/** The result of a refused call: code, text, and each invalid field. Rethrows errors that concern more than this call. */
export function refusalResult(error: ApiError): ToolResult {
  if (OF_CALLER.has(error.code)) throw error;
  if (isTemporary(error)) throw temporaryError(error);
  const { code, message, details, candidates, approvalId } = error;
  const lines = [
    // The message already contains the details.
    `${code}: ${details.length > 0 ? 'The arguments are not valid.' : message}`,
    ...details.map(({ field, issue }) => `- ${field.replace(/^fields\./, '')}: ${issue}`),
    ...(candidates === undefined || candidates.length === 0 ? [] : [`Candidates: ${candidates.join(', ')}`]),
    ...(approvalId === undefined ? [] : [`approvalId: ${approvalId}`]),
  ];
  return { ...failureResult(lines.join('\n')), _meta: { [ERROR_CODE]: code } };
}

/** Whether an error is independent of the request. Except after TIMEOUT, it can be repeated unchanged. */
export function isTemporary({ code }: ApiError): boolean {
  return TEMPORARY.has(code);
}

/** The JSON-RPC error for an error that is independent of the request. */
export function temporaryError({ code, message, retryAfterSeconds }: ApiError): RpcError {
  const data = { errorCode: code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new RpcError(RPC_ERRORS.internalError, `${code}: ${message}`, data);
}

function textBlock(text: string): LazyValue {
  return { type: 'text', text };
}

/** Content blocks for an output that consists only of these. */
function blocksOf(output: LazyJson): readonly JsonValue[] | undefined {
  const { content, ...others } = output.parseObject();
  return Array.isArray(content) && Object.keys(others).length === 0 ? content : undefined;
}

/** A block that the protocol defines; the JSON of any other, such as an image that was stored as a file. */
function protocolBlock(block: JsonValue): LazyValue {
  return isObject(block) && isContentBlock(block) ? block : textBlock(JSON.stringify(block));
}

function isContentBlock(block: JsonObject): boolean {
  const { type, resource } = block;
  switch (type) {
    case 'text':
      return hasTexts(block, 'text');
    case 'image':
    case 'audio':
      return hasTexts(block, 'data', 'mimeType');
    case 'resource_link':
      return hasTexts(block, 'uri', 'name');
    case 'resource':
      return (
        isObject(resource) &&
        hasTexts(resource, 'uri') &&
        (hasTexts(resource, 'text') || hasTexts(resource, 'blob'))
      );
    default:
      return false;
  }
}

function hasTexts(object: JsonObject, ...names: readonly string[]): boolean {
  return names.every((name) => typeof object[name] === 'string');
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
