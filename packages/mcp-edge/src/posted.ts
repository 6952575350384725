import type { IncomingMessage } from 'node:http';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { MAX_JSON_VALUES, requireJsonBounds } from '@fairlead/rest-kit/json-bounds';
import { jsonFault } from '@fairlead/rest-kit/json-fault';
import { guardJson } from '@fairlead/rest-kit/json-guard';
import { isJson, isText } from '@fairlead/service-kit/json/is-json';
import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import type { JsonValue } from '@bufbuild/protobuf';
import { jsonValue } from './json-value.ts';

/** The id of a JSON-RPC request; null if there is none, or if an answer could not repeat it. */
export type RpcId = string | number | null;

/** The facts about a posted body that the gateway needs. */
export interface BodyFacts {
  /** Number of requests, except pings. */
  readonly requestCount: number;
  /** The id of the message, if it is the only one. */
  readonly id: RpcId;
  /** The message, if it is the only one and the gateway reads messages with its method. */
  readonly message: PostedMessage | undefined;
  /** The message, if it is the only one and a tool call with an idempotency key. */
  readonly keyedCall: KeyedCall | undefined;
}

/** A message with a method that the gateway handles. */
export interface PostedMessage {
  readonly method: McpMethod;
  /** Whether it is a request, and not a notification. */
  readonly isRequest: boolean;
  /** The JSON of its parameters, by name. */
  readonly params: ReadonlyMap<string, Uint8Array>;
}

/** Parts of a tool call with an idempotency key, as JSON. */
export interface KeyedCall {
  readonly id: Uint8Array;
  /** The key; any JSON value. */
  readonly key: Uint8Array;
  /** The tool's name; empty: none. */
  readonly name: Uint8Array;
  /** Empty: none. */
  readonly args: Uint8Array;
}

/** The member of `_meta` with the idempotency key, and its name in errors. */
const KEY_MEMBER = 'dev.fairlead/idempotencyKey';
export const KEY_FIELD = `params._meta["${KEY_MEMBER}"]`;

/** Maximum messages in a batch. Larger ones are refused without being counted; the mcp service has no limit of its own. */
const MAX_BATCH = 50;
/** Maximum length of an id that is repeated in an answer. */
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
/** Methods that concern a session; they cannot be in a batch. */
const UNBATCHED = [INITIALIZE, 'resources/subscribe', 'resources/unsubscribe'] as const;
type McpMethod = (typeof KNOWN_METHODS)[number];
const LONGEST_METHOD = Math.max(...KNOWN_METHODS.map(({ length }) => length));
/** The only version with batches. A client that states no version is assumed to use it (MCP 2025-06-18, "Transports"). */
const BATCH_VERSION = '2025-03-26';
const ABSENT = new Uint8Array();
/** The media types of answers: JSON, and event streams. */
const STREAM_TYPE = 'text/event-stream';
const ANSWER_TYPES = ['application/json', STREAM_TYPE];

/**
 * Counts the requests in a JSON-RPC body: one message, or a batch. A message with `id` and `method` is a request.
 * Throws MALFORMED_BODY if the text is not JSON. Throws VALIDATION_ERROR above the limits of REST bodies, for values
 * that REST bodies refuse, for JSON without a message, for a batch that is too long, and for a batch if `version`
 * (empty: not stated) has none. Builds nothing from the body.
 */
export function readPosted(bytes: Buffer, version: string): BodyFacts {
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
 * Whether the client accepts both JSON and event streams, as the transport requires (MCP, "Sending Messages to the
 * Server"). A request without the header accepts everything.
 */
export function acceptsAnswers({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return accepts(headers.accept, ANSWER_TYPES);
}

/** Whether the client accepts event streams. A request without the header accepts everything. */
export function acceptsStream({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return accepts(headers.accept, [STREAM_TYPE]);
}

/** Whether the only message has a result, and no error. */
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

/** The method, unless it is longer than `maxLength` characters. */
function methodOf(message: ReadonlyMap<string, Uint8Array>, maxLength: number): unknown {
  const method = message.get('method');
  // In the longest encoding, every character is escaped.
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

/** A member as a request id; null if it is no id, or if an answer could not repeat it. */
export function idIn(members: ReadonlyMap<string, Uint8Array>, name: string): RpcId {
  const bytes = members.get(name);
  if (bytes === undefined || bytes.length > MAX_ID_BYTES) return null;
  const id = jsonValue(bytes);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The call; undefined for other messages, for a call without a key, and for a call whose id is missing or cannot be repeated in an answer. */
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

/** The members of an object-valued member. */
export function membersOf(
  object: ReadonlyMap<string, Uint8Array>,
  name: string,
): ReadonlyMap<string, Uint8Array> | undefined {
  const bytes = object.get(name);
  return bytes === undefined ? undefined : objectSlices(bytes);
}

/** The body is passed on as bytes, so a name that REST bodies drop must be refused here. */
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
