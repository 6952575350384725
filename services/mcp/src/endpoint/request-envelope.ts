import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { HeaderArgument } from '../domain/header-arguments.ts';
import { isObject, RPC_ERRORS, RpcError, textIn } from './json-rpc.ts';
import type { RpcMessage, RpcParams } from './json-rpc.ts';
import { isKnownStateless, isStateless, STATELESS_VERSIONS } from './versions.ts';

/** Members of `_meta` reserved by the stateless versions. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** The protocol headers of a posted body; undefined: absent. */
export interface ProtocolHeaders {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
  /** The headers Mcp-Param-*, by the rest of their names in lower case. */
  readonly params?: Readonly<Record<string, string>>;
}

/** By method, the member of `params` that the header Mcp-Name repeats. */
const NAME_SOURCES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * The stateless version of a message; undefined for a version with a handshake. RpcError for an incomplete envelope, an unknown version,
 * and headers that are absent or contradict the body. Source: MCP 2026-07-28, "Streamable HTTP".
 */
export function statelessVersionOf(message: RpcMessage, headers: ProtocolHeaders): string | undefined {
  if (message.kind === 'response') return undefined;
  const meta = metaOf(message.params);
  const claimed = meta?.[VERSION_KEY];
  if (claimed === undefined) {
    if (headers.version === undefined || !isStateless(headers.version)) return undefined;
    if (message.kind === 'notification') return headers.version;
    if (message.method === 'initialize')
      throw mismatch(`initialize was sent with version ${headers.version}, which has no handshake`);
    throw new RpcError(RPC_ERRORS.invalidParams, `params._meta: ${VERSION_KEY} is required`);
  }
  if (typeof claimed !== 'string')
    throw new RpcError(RPC_ERRORS.invalidParams, `params._meta: ${VERSION_KEY} must be a string`);
  // `initialize` counts as a handshake, unless the header names a version without one.
  if (!isStateless(claimed) && message.method === 'initialize') return undefined;
  if (message.kind === 'request') requireCapabilities(meta);
  if (headers.version !== undefined && headers.version !== claimed)
    throw mismatch(`the body names version ${claimed}, MCP-Protocol-Version ${headers.version}`);
  if (headers.method !== undefined && headers.method !== message.method)
    throw mismatch(`the body names method ${message.method}, Mcp-Method ${headers.method}`);
  if (!isKnownStateless(claimed))
    throw new RpcError(RPC_ERRORS.unsupportedVersion, `Unsupported protocol version: ${claimed}`, {
      supported: [...STATELESS_VERSIONS],
      requested: claimed,
    });
  if (message.kind === 'request') requireHeaders(message, headers);
  return claimed;
}

/** A result in the form of the stateless versions: `complete` unless it says otherwise. `serverInfo` identifies the server. */
export function statelessResult(
  { _meta: meta = {}, ...result }: Readonly<Record<string, LazyValue>>,
  serverInfo: { readonly [name: string]: string },
): Readonly<Record<string, LazyValue>> {
  const kept = meta instanceof LazyJson ? meta.parseObject() : isObject(meta) ? meta : {};
  return { resultType: 'complete', ...result, _meta: { ...kept, [SERVER_INFO_KEY]: serverInfo } };
}

/** A cached list would outlive its changes. */
export const LIST_TTL_MS = 0;

/** Result members that let a client cache it for `ttlMs`, for its own user only. */
export function cacheable(ttlMs: number): { readonly ttlMs: number; readonly cacheScope: 'private' } {
  return { ttlMs, cacheScope: 'private' };
}

function requireHeaders(
  { method, params }: Extract<RpcMessage, { kind: 'request' }>,
  headers: ProtocolHeaders,
): void {
  if (headers.version === undefined) throw mismatch('the header MCP-Protocol-Version is required');
  if (headers.method === undefined) throw mismatch('the header Mcp-Method is required');
  const source = Object.hasOwn(NAME_SOURCES, method) ? NAME_SOURCES[method] : undefined;
  if (source === undefined) return;
  const named = textIn(params, source);
  if (headers.name === undefined) {
    if (named !== undefined) throw mismatch('the header Mcp-Name is required');
    return;
  }
  const decoded = decodedHeader('Mcp-Name', headers.name);
  if (named !== undefined && decoded !== named)
    throw mismatch(`params.${source} and the header Mcp-Name name different things`);
}

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** A header value, which may be encoded in base64; RpcError if that is malformed. */
function decodedHeader(name: string, value: string): string {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const [, base64] = ENCODED.exec(value) ?? [];
  if (base64 === undefined) throw mismatch(`the header ${name} is not valid base64`);
  return Buffer.from(base64, 'base64').toString();
}

/** Throws an RpcError unless the headers repeat the arguments that a tool requires there. */
export function requireArgumentHeaders(
  headerArguments: readonly HeaderArgument[],
  params: RpcParams,
  headers: ProtocolHeaders['params'] = {},
): void {
  const bytes = headerArguments.length === 0 ? undefined : params.get('arguments');
  if (bytes === undefined) return;
  const args = new LazyJson(bytes, 'params.arguments').parse();
  for (const { header, path } of headerArguments) {
    const value = path.reduce<JsonValue | undefined>(
      (at, name) => (isObject(at) ? at[name] : undefined),
      args,
    );
    // Other values than text, number and boolean cannot be sent in a header.
    if (value === undefined || typeof value === 'object') continue;
    const name = `Mcp-Param-${header}`;
    const sent = Object.hasOwn(headers, header) ? headers[header] : undefined;
    if (sent === undefined) throw mismatch(`the header ${name} is required`);
    const decoded = decodedHeader(name, sent);
    const isSame = typeof value === 'number' ? isNumber(decoded, value) : decoded === String(value);
    if (!isSame) throw mismatch(`params.arguments.${path.join('.')} and the header ${name} differ`);
  }
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function isNumber(text: string, value: number): boolean {
  return text === String(value) || (DECIMAL.test(text) && Number(text) === value);
}

function metaOf(params: RpcParams): JsonObject | undefined {
  const bytes = params.get('_meta');
  const meta = bytes === undefined ? undefined : new LazyJson(bytes, 'params._meta').parse();
  return isObject(meta) ? meta : undefined;
}

function requireCapabilities(meta: JsonObject | undefined): void {
  const capabilities = meta?.[CAPABILITIES_KEY];
  if (isObject(capabilities)) return;
  const issue = capabilities === undefined ? 'is required' : 'must be an object';
  throw new RpcError(RPC_ERRORS.invalidParams, `params._meta: ${CAPABILITIES_KEY} ${issue}`);
}

function mismatch(issue: string): RpcError {
  return new RpcError(RPC_ERRORS.headerMismatch, `The headers and the body disagree: ${issue}.`);
}
