import { ApiError } from '@fairlead/errors/api-error';
import type { LazyJson, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { batchResponse, errorResponse, readBody, resultResponse, RPC_ERRORS, RpcError } from './json-rpc.ts';
import type { RpcMessage, RpcParams } from './json-rpc.ts';
import { statelessVersionOf } from './request-envelope.ts';
import type { ProtocolHeaders } from './request-envelope.ts';
import { isTemporary, temporaryError } from './tool-result.ts';
import { BATCH_VERSION, HANDSHAKE_VERSIONS, isHandshakeVersion, UNNAMED_VERSION } from './versions.ts';

/** The answer to a posted body. */
export interface PostAnswer {
  readonly status: 200 | 202 | 400 | 404;
  /** JSON; undefined: there is nothing to answer. */
  readonly body: Uint8Array | undefined;
}

/** A request that is in order. */
export interface ServedRequest {
  readonly method: string;
  readonly params: RpcParams;
  /** Whether its version has no handshake. */
  readonly isStateless: boolean;
}

/** Returns the result of a request; RpcError and temporary ApiErrors are answered as JSON-RPC errors. */
type Serve = (request: ServedRequest) => Promise<Readonly<Record<string, LazyValue>>>;

const MAX_BATCH = 50;
/** Responses of a batch in all: an answer of ours has a bound, and what was executed must not fail for it. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const TOO_LARGE = new RpcError(
  RPC_ERRORS.internalError,
  'The request was executed, but the results of the batch are too large to be returned together.',
);
const ACCEPTED: PostAnswer = { status: 202, body: undefined };

/**
 * Answers one posted body, a message or a batch, by the rules of the version that it names. A body that is refused as a whole is 400, and
 * an unknown method 404 in versions without a handshake. Throws ApiErrors that concern the caller or the server.
 */
export async function answerPost(
  bytes: Uint8Array,
  headers: ProtocolHeaders,
  serve: Serve,
): Promise<PostAnswer> {
  try {
    const { messages, isBatch } = readBody(bytes);
    const [first] = messages;
    if (!isBatch && first !== undefined) return await answerOne(first, headers, serve);
    return await answerBatch(messages, headers, serve);
  } catch (error) {
    if (error instanceof RpcError) return refused(null, error);
    throw error;
  }
}

async function answerOne(message: RpcMessage, headers: ProtocolHeaders, serve: Serve): Promise<PostAnswer> {
  const id = message.kind === 'request' ? message.id : null;
  let isStateless: boolean;
  try {
    isStateless = statelessVersionOf(message, headers) !== undefined;
    if (!isStateless && !isInitialize(message)) requireKnownVersion(headers);
  } catch (error) {
    if (error instanceof RpcError) return refused(id, error);
    throw error;
  }
  if (message.kind !== 'request') return ACCEPTED;
  const { method, params } = message;
  const answer = await answerRequest(message.id, { method, params, isStateless }, serve);
  const isUnknown = isStateless && answer.code === RPC_ERRORS.methodNotFound;
  return { status: isUnknown ? 404 : 200, body: answer.body };
}

async function answerBatch(
  messages: readonly RpcMessage[],
  headers: ProtocolHeaders,
  serve: Serve,
): Promise<PostAnswer> {
  const { version = UNNAMED_VERSION } = headers;
  if (version !== BATCH_VERSION)
    throw new RpcError(RPC_ERRORS.invalidRequest, `Version ${version} of the protocol has no batches.`);
  if (messages.length > MAX_BATCH)
    throw new RpcError(RPC_ERRORS.invalidRequest, `A batch has at most ${MAX_BATCH} messages.`);
  if (messages.some((message) => isInitialize(message) || statelessVersionOf(message, {}) !== undefined))
    throw new RpcError(RPC_ERRORS.invalidRequest, 'The batch has a message that must be sent by itself.');
  const requests = messages.filter((message) => message.kind === 'request');
  if (requests.length === 0) return ACCEPTED;
  const settled = await Promise.allSettled(
    requests.map(({ id, method, params }) =>
      answerRequest(id, { method, params, isStateless: false }, serve),
    ),
  );
  const refusals = settled.flatMap((it) => (it.status === 'rejected' ? [refusalOf(it.reason)] : []));
  // Then the caller or the server is refused; otherwise each result is returned.
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === requests.length) throw refusal;
  let left = MAX_BATCH_BYTES;
  const bodies = requests.map(({ id }, index) => {
    const answer = settled[index];
    const body =
      answer?.status === 'fulfilled'
        ? answer.value.body
        : errorResponse(id, temporaryError(refusalOf(answer?.reason)));
    if (body.length > left) return errorResponse(id, TOO_LARGE);
    left -= body.length;
    return body;
  });
  return { status: 200, body: batchResponse(bodies) };
}

function refusalOf(reason: unknown): ApiError {
  if (reason instanceof ApiError) return reason;
  throw reason;
}

/** The response, with the code of its error if it has one. */
async function answerRequest(
  id: LazyJson,
  request: ServedRequest,
  serve: Serve,
): Promise<{ readonly body: Uint8Array; readonly code: number | undefined }> {
  try {
    return { body: resultResponse(id, await serve(request)), code: undefined };
  } catch (error) {
    const failure = error instanceof ApiError && isTemporary(error) ? temporaryError(error) : error;
    if (failure instanceof RpcError) return { body: errorResponse(id, failure), code: failure.code };
    throw failure;
  }
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
