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
  /** JSON, without the common part; undefined: there is nothing to answer. */
  readonly body: Uint8Array | undefined;
  /** A part that other answers have as well, and its place in the body. */
  readonly common?: ResponseText['common'];
}

/** A request that is in order. */
export interface ServedRequest {
  /** A text or an integer, as it was sent. */
  readonly id: LazyJson;
  readonly method: string;
  readonly params: RpcParams;
  /** Whether its version has no handshake. */
  readonly isStateless: boolean;
}

/**
 * Returns the result of a request; RpcError and temporary ApiErrors are answered as JSON-RPC errors, and so are all errors in a batch unless
 * all its requests fail: the others keep their results.
 */
type Serve = (request: ServedRequest) => Promise<Result>;

/** The parts of the service that a body is for. */
export interface PostHandlers {
  readonly serve: Serve;
  /** Passes on the response to a request of the server. */
  readonly answer: (response: RpcResponse) => Promise<void>;
  /** Reports an unexpected failure of one request of a batch. */
  readonly onFault: (error: unknown) => void;
}

type RpcResponse = Extract<RpcMessage, { kind: 'response' }>;

type Result = Readonly<Record<string, LazyValue>>;

/** Bytes of one response; a message between services has 16 MiB with its other members. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024 - 64 * 1024;
/** Bytes of all responses of a batch, but short ones in place of results that are too large. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const ACCEPTED: PostAnswer = { status: 202, body: undefined };

/**
 * Answers one posted body, a message or a batch, by the rules of the version that it names. A body that is refused as a whole is 400, and
 * an unknown method 404 in versions without a handshake. Throws ApiErrors that concern the caller or the server.
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

/** The status of a request that is refused, by the code of its error. */
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
  // Before anything is executed: if one fails, the client may send the whole body again.
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
  // No result is lost when the body is refused as a whole.
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
  /** The code of its error; undefined: it has none. */
  readonly code: number | undefined;
}

/** Room for responses. */
interface Room {
  readonly place: string;
  /** Takes room for a response; false: there is not as much. */
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

/** The response, with the code of its error if it has one. A short one stands for a result that is too large. */
async function answerRequest(
  id: LazyJson,
  request: ServedRequest,
  serve: Serve,
  room: Room,
): Promise<Answer> {
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

/** The result of a call without its content: it has been executed, so that an error would invite to repeat it. */
function withoutContent({ method }: ServedRequest, result: Result, { place }: Room): Result {
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
