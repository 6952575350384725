import { ApiError } from '@fairlead/errors/api-error';
import type { LazyJson, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import {
  batchResponse,
  errorResponse,
  readBody,
  resultResponse,
  RPC_ERRORS,
  RpcError,
  wholeOf,
} from './json-rpc.ts';
import type { ResponseText, RpcMessage, RpcParams } from './json-rpc.ts';
import { statelessVersionOf } from './request-envelope.ts';
import type { ProtocolHeaders } from './request-envelope.ts';
import { failureResult, isTemporary, temporaryError } from './tool-result.ts';
import { BATCH_VERSION, HANDSHAKE_VERSIONS, isHandshakeVersion, UNNAMED_VERSION } from './versions.ts';

/** The answer to a posted body. */
export interface PostAnswer {
  readonly status: 200 | 202 | 400 | 404;
  /** JSON, without the common part; undefined: no answer is needed. */
  readonly body: Uint8Array | undefined;
  /** A part shared with other answers, and its position in the body. */
  readonly common?: ResponseText['common'];
}

/** A valid request. */
export interface RpcRequest {
  /** Text or integer, as sent. */
  readonly id: LazyJson;
  readonly method: string;
  readonly params: RpcParams;
  /** Whether its version has no handshake. */
  readonly isStateless: boolean;
}

/**
 * Returns the result of a request. RpcError and temporary ApiErrors become JSON-RPC errors. In a batch all errors do, unless every request
 * fails, so that the others keep their results.
 */
type Serve = (request: RpcRequest) => Promise<Result>;

/** Dependencies. */
export interface PostHandlers {
  readonly serve: Serve;
  /** Delivers the client's response to a request of the server. */
  readonly answer: (response: RpcResponse) => Promise<void>;
  /** Reports an unexpected failure of a single request in a batch. */
  readonly onFault: (error: unknown) => void;
}

type RpcResponse = Extract<RpcMessage, { kind: 'response' }>;

type Result = Readonly<Record<string, LazyValue>>;

/** Maximum bytes of one response: a message between services has 16 MiB, including its other members. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024 - 64 * 1024;
/** Maximum bytes of a batch's responses, not counting the short ones that replace results that are too large. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const ACCEPTED: PostAnswer = { status: 202, body: undefined };

/**
 * Answers one posted body (a message or a batch) by the rules of its protocol version. A body that is refused as a whole gets 400; in
 * versions without a handshake an unknown method gets 404. Throws ApiErrors that concern the caller or the server.
 */
export async function answerPost(
  bytes: Uint8Array,
  headers: ProtocolHeaders,
  handlers: PostHandlers,
): Promise<PostAnswer> {
  try {
    const { messages, isBatch } = readBody(bytes);
    const [first] = messages;
    if (!isBatch && first !== undefined) return await answerOne(first, headers, handlers);
    return await answerBatch(messages, headers, handlers);
  } catch (error) {
    if (error instanceof RpcError) return refused(null, error);
    throw error;
  }
}

async function answerOne(
  message: RpcMessage,
  headers: ProtocolHeaders,
  { serve, answer: passOn }: PostHandlers,
): Promise<PostAnswer> {
  const id = message.kind === 'request' ? message.id : null;
  let isStateless: boolean;
  try {
    isStateless = statelessVersionOf(message, headers) !== undefined;
    if (!isStateless && !isInitialize(message)) requireKnownVersion(headers);
  } catch (error) {
    if (error instanceof RpcError) return refused(id, error);
    throw error;
  }
  if (message.kind === 'response') await passOn(message);
  if (message.kind !== 'request') return ACCEPTED;
  const { method, params } = message;
  const answer = await answerRequest(
    message.id,
    { id: message.id, method, params, isStateless },
    serve,
    roomOf('a response', MAX_RESPONSE_BYTES),
  );
  const status = isStateless && answer.code !== undefined ? STATELESS_STATUS.get(answer.code) : undefined;
  return { status: status ?? 200, body: answer.body, common: answer.common };
}

/** HTTP status of a refused request, by error code. */
const STATELESS_STATUS: ReadonlyMap<number, 400 | 404> = new Map([
  [RPC_ERRORS.methodNotFound, 404],
  [RPC_ERRORS.headerMismatch, 400],
  [RPC_ERRORS.missingCapability, 400],
]);

async function answerBatch(
  messages: readonly RpcMessage[],
  headers: ProtocolHeaders,
  { serve, answer: passOn, onFault }: PostHandlers,
): Promise<PostAnswer> {
  const { version = UNNAMED_VERSION } = headers;
  if (version !== BATCH_VERSION)
    throw new RpcError(RPC_ERRORS.invalidRequest, `Version ${version} of the protocol has no batches.`);
  if (messages.some((message) => isInitialize(message) || statelessVersionOf(message, {}) !== undefined))
    throw new RpcError(RPC_ERRORS.invalidRequest, 'The batch has a message that must be sent by itself.');
  // Checked before anything is executed: if one fails, the client can send the whole body again.
  await Promise.all(messages.filter((message) => message.kind === 'response').map(passOn));
  const requests = messages.filter((message) => message.kind === 'request');
  if (requests.length === 0) return ACCEPTED;
  const room = roomOf('the batch', MAX_BATCH_BYTES);
  const answers = await Promise.allSettled(
    requests.map(({ id, method, params }) =>
      answerRequest(id, { id, method, params, isStateless: false }, serve, room),
    ),
  );
  const [first] = answers;
  // If the body is refused as a whole, no result is lost.
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected'))
    throw first.reason;
  return {
    status: 200,
    body: batchResponse(
      requests.map(({ id }, at) => {
        const answer = answers[at];
        return answer?.status === 'fulfilled'
          ? wholeOf(answer.value)
          : errorResponse(id, failureInBatch(answer?.reason, onFault));
      }),
    ),
  };
}

function failureInBatch(error: unknown, onFault: (error: unknown) => void): RpcError {
  if (error instanceof ApiError) return temporaryError(error);
  onFault(error);
  return temporaryError(new ApiError('INTERNAL', 'An internal error occurred.'));
}

interface Answer extends ResponseText {
  /** The answer's error code; undefined: no error. */
  readonly code: number | undefined;
}

/** Remaining bytes for responses. */
interface Room {
  readonly place: string;
  /** Reserves bytes for a response; false: not enough are left. */
  take(bytes: number): boolean;
}

function roomOf(place: string, maxBytes: number): Room {
  let left = maxBytes;
  return {
    place,
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
  };
}

/** The response, and its error code if any. A result that is too large is replaced by a short one. */
async function answerRequest(id: LazyJson, request: RpcRequest, serve: Serve, room: Room): Promise<Answer> {
  try {
    const result = await serve(request);
    const response = resultResponse(id, result);
    const commonBytes = response.common?.json.bytes.length ?? 0;
    if (room.take(response.body.length + commonBytes)) return { ...response, code: undefined };
    return { ...resultResponse(id, withoutContent(request, result, room)), code: undefined };
  } catch (error) {
    const failure = error instanceof ApiError && isTemporary(error) ? temporaryError(error) : error;
    if (failure instanceof RpcError)
      return { body: errorResponse(id, failure), common: undefined, code: failure.code };
    throw failure;
  }
}

/** The result of a call without its content. Not an error: the call was executed, and an error would invite a repetition. */
function withoutContent({ method }: RpcRequest, result: Result, { place }: Room): Result {
  if (method !== 'tools/call')
    throw new RpcError(RPC_ERRORS.internalError, `The result is too large for ${place}.`);
  const { content: _content, structuredContent: _structured, ...others } = result;
  return {
    ...others,
    ...failureResult(`The call was executed, but its result is too large for ${place}.`),
  };
}

function requireKnownVersion({ version }: ProtocolHeaders): void {
  if (version === undefined || isHandshakeVersion(version)) return;
  throw new RpcError(
    RPC_ERRORS.refused,
    `Unsupported protocol version: ${version}. Supported are ${HANDSHAKE_VERSIONS.join(', ')}.`,
  );
}

function isInitialize(message: RpcMessage): boolean {
  return message.kind === 'request' && message.method === 'initialize';
}

function refused(id: LazyJson | null, error: RpcError): PostAnswer {
  return { status: 400, body: errorResponse(id, error) };
}
