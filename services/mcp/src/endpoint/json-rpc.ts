import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '@bufbuild/protobuf';
import { isJson } from '@fairlead/service-kit/json/is-json';
import { checkJsonBounds } from '@fairlead/service-kit/json/json-bounds';
import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import { lengthOf } from '@fairlead/connect-fast/message-codec';
import { jsonBytes, jsonPieces, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { CommonJson } from '../domain/common-json.ts';
import type { SentAnswer } from '../ports/client-requests.ts';

/** Error codes of JSON-RPC 2.0 and of MCP. */
export const RPC_ERRORS = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** The transport refuses the request. */
  refused: -32_000,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
  urlElicitationRequired: -32_042,
} as const;

/** Limits of the JSON in a body; the edge limits its bytes. */
const BOUNDS = { maxValues: 200_000, maxNames: 20_000, maxDepth: 50 };
const MAX_ID_BYTES = 1_000;

/** A failure that becomes a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: LazyValue | undefined;

  constructor(code: number, message: string, data?: LazyValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A message of a client. */
export type RpcMessage =
  | {
      readonly kind: 'request';
      /** Text or integer, as sent. */
      readonly id: LazyJson;
      readonly method: string;
      readonly params: RpcParams;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: RpcParams }
  | {
      readonly kind: 'response';
      /** Id of the server's request; undefined: not one of ours, which are texts. */
      readonly key: string | undefined;
      readonly answer: SentAnswer;
    };

/** The members of `params`, as sent. */
export type RpcParams = ReadonlyMap<string, Uint8Array>;

/** A posted body. */
export interface RpcBody {
  readonly messages: readonly RpcMessage[];
  readonly isBatch: boolean;
}

/** Parses a posted body; RpcError if it is not JSON, or a message is not valid JSON-RPC 2.0. */
export function readBody(bytes: Uint8Array): RpcBody {
  if (!isUtf8(bytes) || !isJson(bytes))
    throw new RpcError(RPC_ERRORS.parseError, 'The body is not JSON in UTF-8.');
  const { exceeded, isSuspect } = checkJsonBounds(bytes, BOUNDS);
  if (exceeded !== undefined)
    throw new RpcError(RPC_ERRORS.invalidRequest, `The body has too many ${EXCEEDED[exceeded]}.`);
  if (isSuspect)
    throw new RpcError(
      RPC_ERRORS.invalidRequest,
      'The body has text that is not Unicode, a number that IEEE 754 cannot hold, or a member name that is not accepted.',
    );
  const batch = arraySlices(bytes);
  if (batch === undefined) return { messages: [readMessage(bytes)], isBatch: false };
  if (batch.length === 0) throw new RpcError(RPC_ERRORS.invalidRequest, 'The batch is empty.');
  return { messages: batch.map(readMessage), isBatch: true };
}

const EXCEEDED = { values: 'values', names: 'different names', depth: 'levels' } as const;

function readMessage(bytes: Uint8Array): RpcMessage {
  const members = objectSlices(bytes);
  if (members === undefined || textIn(members, 'jsonrpc') !== '2.0') throw notJsonRpc();
  const method = textIn(members, 'method');
  const id = members.get('id');
  if (method === undefined) {
    const kind = members.has('result') ? 'result' : 'error';
    const json = members.get(kind);
    if (id === undefined || json === undefined || members.has('method')) throw notJsonRpc();
    if (objectSlices(json) === undefined)
      throw new RpcError(RPC_ERRORS.invalidRequest, `${kind}: must be an object`);
    return { kind: 'response', key: textIn(members, 'id'), answer: { kind, json } };
  }
  const params = paramsIn(members);
  if (id === undefined) return { kind: 'notification', method, params };
  const request = new LazyJson(id, 'id');
  if (!isId(request)) throw new RpcError(RPC_ERRORS.invalidRequest, 'id: must be a string or an integer');
  return { kind: 'request', id: request, method, params };
}

function paramsIn(members: RpcParams): RpcParams {
  const params = members.get('params');
  if (params === undefined) return new Map();
  const read = objectSlices(params);
  if (read === undefined) throw new RpcError(RPC_ERRORS.invalidRequest, 'params: must be an object');
  return read;
}

function isId(id: LazyJson): boolean {
  if (id.bytes.length > MAX_ID_BYTES) return false;
  const value = id.parse();
  return typeof value === 'string' || Number.isInteger(value);
}

function notJsonRpc(): RpcError {
  return new RpcError(RPC_ERRORS.invalidRequest, 'The body is not a message of JSON-RPC 2.0.');
}

/** A text member; undefined if it is absent or has another type. */
export function textIn(members: RpcParams, name: string): string | undefined {
  const bytes = members.get(name);
  const value = bytes === undefined ? undefined : new LazyJson(bytes, name).parse();
  return typeof value === 'string' ? value : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shorter parts are sent each time: comparing digests would cost more. */
const MIN_COMMON_BYTES = 16 * 1024;

/** A response, which may contain a part shared with other responses. */
export interface ResponseText {
  /** JSON, without the common part. */
  readonly body: Uint8Array;
  /** Undefined: none. */
  readonly common: { readonly json: CommonJson; readonly offset: number } | undefined;
}

/** The text of a response with its common part. */
export function wholeOf({ body, common }: ResponseText): Uint8Array {
  if (common === undefined) return body;
  const { json, offset } = common;
  return Buffer.concat([body.subarray(0, offset), json.bytes, body.subarray(offset)]);
}

/** The response with a result; if a member of the result is a large CommonJson, it becomes the common part. */
export function resultResponse(id: LazyJson, result: Readonly<Record<string, LazyValue>>): ResponseText {
  const json = Object.values(result).find((member) => member instanceof CommonJson);
  const pieces = jsonPieces({ jsonrpc: '2.0', id, result });
  // Only for the type: the id is a LazyJson, so jsonPieces returns pieces.
  if (typeof pieces === 'string') return { body: Buffer.from(pieces), common: undefined };
  const at = json === undefined ? -1 : pieces.indexOf(json.bytes);
  if (json === undefined || json.bytes.length < MIN_COMMON_BYTES)
    return { body: Buffer.concat(pieces), common: undefined };
  return {
    body: Buffer.concat(pieces.toSpliced(at, 1)),
    common: { json, offset: lengthOf(pieces.slice(0, at)) },
  };
}

/** The response with an error; `id` is null if the request could not be parsed. */
export function errorResponse(id: LazyJson | null, { code, message, data }: RpcError): Uint8Array {
  return jsonBytes({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
}

/** The body with all responses of a batch. */
export function batchResponse(responses: readonly Uint8Array[]): Uint8Array {
  return jsonBytes(responses.map((json) => new LazyJson(json)));
}

export function clientNotification(method: string, params: LazyValue): Uint8Array {
  return jsonBytes({ jsonrpc: '2.0', method, params });
}

export function clientRequest(id: string, method: string, params: LazyValue): Uint8Array {
  return jsonBytes({ jsonrpc: '2.0', id, method, params });
}
