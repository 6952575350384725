import type { IncomingMessage } from 'node:http';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { MAX_JSON_VALUES, requireJsonBounds } from '@fairlead/rest-kit/json-bounds';
import { jsonFault } from '@fairlead/rest-kit/json-fault';
import { guardJson } from '@fairlead/rest-kit/json-guard';
import { isJson, isText } from '@fairlead/service-kit/json/is-json';
import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import type { JsonValue } from '@bufbuild/protobuf';
import { jsonValue } from './json-value.ts';

/** The id of a JSON-RPC request; null where there is none, or none that an answer could repeat. */
export type RpcId = string | number | null;

/** A posted body, as far as the gateway has to know it. */
export interface Posted {
  /** Its requests, without those of the method `ping`. */
  readonly requestCount: number;
  /** The id of the only message. */
  readonly id: RpcId;
  /** Its only message, if the gateway looks into messages of that method. */
  readonly message: PostedMessage | undefined;
  /** Its only message, if that is a tool call with an idempotency key. */
  readonly keyedCall: KeyedCall | undefined;
}

/** A message with one of the methods that concern the gateway itself. */
export interface PostedMessage {
  readonly method: KnownMethod;
  /** Whether it is a request. */
  readonly isRequest: boolean;
  /** The JSON of its parameters, by name. */
  readonly params: ReadonlyMap<string, Uint8Array>;
}

/** A tool call with an idempotency key: the JSON of some members. */
export interface KeyedCall {
  readonly id: Uint8Array;
  /** The key, which may be anything. */
  readonly key: Uint8Array;
  /** The name of the tool; empty: none. */
  readonly name: Uint8Array;
  /** Empty: none. */
  readonly args: Uint8Array;
}

/** The member of `_meta` that carries the key of a tool call, and how errors name it. */
const KEY_MEMBER = 'dev.fairlead/idempotencyKey';
export const KEY_FIELD = `params._meta["${KEY_MEMBER}"]`;

/** A larger batch is refused, and counts nothing. The mcp service has no bound of its own. */
const MAX_BATCH = 50;
/** Longer ids are not repeated. */
const MAX_ID_BYTES = 1_024;
const PING = 'ping';
const INITIALIZE = 'initialize';
const CALL_TOOL = 'tools/call';
const KNOWN_METHODS = [
  INITIALIZE,
  CALL_TOOL,
  'tools/list',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
  'notifications/cancelled',
  'subscriptions/listen',
] as const;
/** Requests that concern a session, which no batch can have. */
const UNBATCHED = [INITIALIZE, 'resources/subscribe', 'resources/unsubscribe'] as const;
type KnownMethod = (typeof KNOWN_METHODS)[number];
const LONGEST_METHOD = Math.max(...KNOWN_METHODS.map(({ length }) => length));
/** The only version with batches; a client that names no version is taken to speak it (MCP 2025-06-18, "Transports"). */
const BATCH_VERSION = '2025-03-26';
const ABSENT = new Uint8Array();
/** The types that an answer may have: JSON, and streams of it. */
const STREAM_TYPE = 'text/event-stream';
const ANSWER_TYPES = ['application/json', STREAM_TYPE];

/**
 * Counts the requests in a body of JSON-RPC: one message, or a batch of them. A message with `id` and `method` is one, whatever else it
 * has. Throws MALFORMED_BODY for text that is not JSON, and VALIDATION_ERROR beyond the bounds of REST bodies, for values that REST
 * bodies may not have, for JSON without a message, and for a batch that is too long or that `version`, empty if the client names none,
 * does not have. Builds nothing of the body.
 */
export function readPosted(bytes: Buffer, version: string): Posted {
  if (bytes.length === 0) throw malformed('The body is empty. Send a JSON-RPC message.');
  const isSuspect = requireJsonBounds(bytes, MAX_JSON_VALUES);
  if (!isText(bytes)) throw malformed('The body is not UTF-8.');
  if (!isJson(bytes)) {
    const fault = jsonFault(bytes.toString());
    throw malformed(`The body is not JSON${fault === undefined ? '' : `: ${fault}`}.`);
  }
  if (isSuspect) guardSuspect(bytes.toString());
  const message = objectSlices(bytes);
  if (message !== undefined) {
    const known = knownMessage(message);
    const keyedCall = keyedCallOf(message, known);
    return { requestCount: isCounted(message) ? 1 : 0, id: idOf(message), message: known, keyedCall };
  }
  const messages = arraySlices(bytes);
  if (messages === undefined || messages.length === 0 || messages.length > MAX_BATCH)
    throw validationError({
      field: 'body',
      issue: `must be a JSON-RPC message, or a batch of 1 to ${MAX_BATCH}`,
    });
  if (version !== '' && version !== BATCH_VERSION)
    throw validationError({ field: 'body', issue: 'must be one message: this version has no batches' });
  const batch = messages.map(objectSlices);
  if (batch.some((one) => one !== undefined && keyedCallOf(one, knownMessage(one)) !== undefined))
    throw validationError({ field: KEY_FIELD, issue: 'must not be in a batch: send the call by itself' });
  for (const method of UNBATCHED)
    if (batch.some((one) => one?.has('id') === true && isMethod(one, method)))
      throw validationError({
        field: 'body',
        issue: `must be one message: ${method} must not be in a batch`,
      });
  const requestCount = batch.filter(isCounted).length;
  return { requestCount, id: null, message: undefined, keyedCall: undefined };
}

/**
 * Whether the client accepts both kinds of answers, JSON and streams, as the transport demands (MCP, "Sending Messages to the Server").
 * A request without the header accepts everything.
 */
export function acceptsAnswers({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return accepts(headers.accept, ANSWER_TYPES);
}

/** Whether the client accepts a stream. A request without the header accepts everything. */
export function acceptsStream({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return accepts(headers.accept, [STREAM_TYPE]);
}

/** Whether a result, and no error, answers the only message. */
export function isResult(answer: Uint8Array): boolean {
  return objectSlices(answer)?.has('result') === true;
}

function accepts(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined) return true;
  const ranges = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return types.every((type) =>
    ranges.some((range) => range === type || range === '*/*' || range === type.replace(/\/.*/, '/*')),
  );
}

function isCounted(message: ReadonlyMap<string, Uint8Array> | undefined): boolean {
  return message?.has('id') === true && message.has('method') && !isMethod(message, PING);
}

function isMethod(message: ReadonlyMap<string, Uint8Array>, name: string): boolean {
  return methodOf(message, name.length) === name;
}

/** The method, if it may have at most `maxLength` characters. */
function methodOf(message: ReadonlyMap<string, Uint8Array>, maxLength: number): unknown {
  const method = message.get('method');
  // The longest way to write it has every character escaped.
  return method === undefined || method.length > 2 + 6 * maxLength ? undefined : jsonValue(method);
}

function knownMessage(message: ReadonlyMap<string, Uint8Array>): PostedMessage | undefined {
  const name = methodOf(message, LONGEST_METHOD);
  const method = KNOWN_METHODS.find((known) => known === name);
  if (method === undefined) return undefined;
  return { method, isRequest: message.has('id'), params: membersOf(message, 'params') ?? new Map() };
}

function idOf(message: ReadonlyMap<string, Uint8Array>): RpcId {
  return message.has('method') ? idIn(message, 'id') : null;
}

/** A member that may be the id of a request; null: it is none that an answer could repeat. */
export function idIn(members: ReadonlyMap<string, Uint8Array>, name: string): RpcId {
  const bytes = members.get(name);
  if (bytes === undefined || bytes.length > MAX_ID_BYTES) return null;
  const id = jsonValue(bytes);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Undefined for any other message, and for a call that has no key or no id that an answer could repeat. */
function keyedCallOf(
  message: ReadonlyMap<string, Uint8Array>,
  known: PostedMessage | undefined,
): KeyedCall | undefined {
  const id = message.get('id');
  if (known?.method !== CALL_TOOL || id === undefined || idOf(message) === null) return undefined;
  const { params } = known;
  const key = membersOf(params, '_meta')?.get(KEY_MEMBER);
  if (key === undefined) return undefined;
  return { id, key, name: params.get('name') ?? ABSENT, args: params.get('arguments') ?? ABSENT };
}

/** The members of a member that is an object. */
export function membersOf(
  object: ReadonlyMap<string, Uint8Array>,
  name: string,
): ReadonlyMap<string, Uint8Array> | undefined {
  const bytes = object.get(name);
  return bytes === undefined ? undefined : objectSlices(bytes);
}

/** The body is passed on by its bytes, so a name that REST bodies lose is refused here. */
function guardSuspect(text: string): void {
  const body = JSON.parse(text, (name, value: unknown) => {
    if (name === '__proto__') throw validationError({ field: name, issue: 'must not have that name' });
    return value;
  }) as JsonValue;
  guardJson({ body });
}

function malformed(message: string): ApiError {
  return new ApiError('MALFORMED_BODY', message);
}
