import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, isMessage } from '@bufbuild/protobuf';
import type { Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  createServiceImplSpec,
} from '@connectrpc/connect';
import type {
  ConnectRouter,
  HandlerContext,
  Interceptor,
  MethodImplSpec,
  UnaryRequest,
  UnaryResponse,
} from '@connectrpc/connect';
import { createMethodUrl, mergeNonProtocolHeaders } from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
} from '@connectrpc/connect/protocol-connect';
import { CallHeaders } from './call-headers.ts';
import { joinReceived } from './join-received.ts';
import { latin1Of, lengthOf, messageCodec } from './message-codec.ts';

type UnarySpec = Extract<MethodImplSpec, { kind: 'unary' }>;
type Next = Parameters<Interceptor>[0];

/** Handles a request if it can, and returns whether it did. All other requests are for the RPC library. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The part of a call that a gate sees. */
export interface GatedCall extends Pick<
  HandlerContext,
  'service' | 'method' | 'signal' | 'timeoutMs' | 'values'
> {
  readonly requestHeader: Pick<Headers, 'get'>;
  readonly responseHeader: Pick<Headers, 'set'>;
}

/** The registered unary methods. */
export interface UnaryMethods {
  /** A router that passes all registrations on to the wrapped router. */
  readonly router: ConnectRouter;
  /** By path. */
  readonly specs: ReadonlyMap<string, UnarySpec>;
}

/** Creates a router that records the unary methods registered with it, except those with options of their own. */
export function recordUnaryMethods(inner: ConnectRouter): UnaryMethods {
  const specs = new Map<string, UnarySpec>();
  const router: ConnectRouter = {
    handlers: inner.handlers,
    service(service, implementation, options) {
      inner.service(service, implementation, options);
      if (options !== undefined) return router;
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
        if (spec.kind === 'unary') specs.set(createMethodUrl('', spec.method), spec);
      }
      return router;
    },
    rpc(method, implementation, options) {
      inner.rpc(method, implementation, options);
      return router;
    },
  };
  return { router, specs };
}

/**
 * Serves unary Connect calls in binary, uncompressed and of known length, which our own client sends. It behaves like
 * the RPC library, with the same gate, interceptors and errors, at a fraction of the cost.
 */
export function createUnaryFastPath(
  specs: ReadonlyMap<string, UnarySpec>,
  o: {
    readonly gate: (call: GatedCall) => void;
    readonly interceptors: readonly Interceptor[];
    readonly readMaxBytes: number;
    readonly writeMaxBytes: number;
  },
): FastPath {
  const invoke = o.interceptors.reduceRight<Next>((next, interceptor) => interceptor(next), invokeMethod);
  const methods = new Map<string, Method>();
  for (const [path, spec] of specs) methods.set(path, methodOf(spec, o.writeMaxBytes));
  return (request, response) => {
    const method = methods.get(request.url ?? '');
    if (method === undefined) return false;
    const call = acceptable(request, o.readMaxBytes);
    if (call === undefined) return false;
    void serve(request, response, { ...o, ...call, invoke, method });
    return true;
  };
}

/** Encodes and decodes with the RPC library's errors, but encodes in pieces. `acceptable` has limited the size of the input. */
function methodOf(spec: UnarySpec, writeMaxBytes: number): Method {
  const input = messageCodec(spec.method.input);
  const output = messageCodec(spec.method.output);
  return {
    spec,
    read: (bytes) => orInternal('parse', () => input.fromBytes(bytes)),
    write(message) {
      const pieces = orInternal('serialize', () => output.toPieces(message));
      const size = lengthOf(pieces);
      if (size <= writeMaxBytes) return pieces;
      const text = `message size ${size} is larger than configured writeMaxBytes ${writeMaxBytes}`;
      throw new ConnectError(text, Code.ResourceExhausted);
    },
  };
}

function orInternal<T>(step: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConnectError(
      `${step} binary: ${error instanceof Error ? error.message : String(error)}`,
      Code.Internal,
    );
  }
}

interface Method {
  readonly spec: UnarySpec;
  readonly read: (bytes: Uint8Array) => Message;
  readonly write: (message: Message) => readonly Uint8Array[];
}

interface Acceptable {
  readonly byteLength: number;
  readonly timeoutMs: number | undefined;
}

const WHOLE_NUMBER = /^\d{1,10}$/;
// Maximum timeout; a longer one overflows Node's timers.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function acceptable({ method, headers }: IncomingMessage, maxBytes: number): Acceptable | undefined {
  if (method !== 'POST' || headers['content-type'] !== contentTypeUnaryProto) return undefined;
  if (isEncoded(headers['content-encoding']) || isEncoded(headers['accept-encoding'])) return undefined;
  if (headers.host === undefined || !WHOLE_NUMBER.test(headers['content-length'] ?? '')) return undefined;
  const byteLength = Number(headers['content-length']);
  if (byteLength > maxBytes) return undefined;
  const timeout = headers['connect-timeout-ms'];
  if (timeout === undefined) return { byteLength, timeoutMs: undefined };
  if (typeof timeout !== 'string' || !WHOLE_NUMBER.test(timeout)) return undefined;
  const timeoutMs = Number(timeout);
  return timeoutMs === 0 || timeoutMs > LONGEST_TIMEOUT_MS ? undefined : { byteLength, timeoutMs };
}

function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== 'identity';
}

interface Serving extends Acceptable {
  readonly method: Method;
  readonly gate: (call: GatedCall) => void;
  readonly invoke: Next;
}

/** Response size above which a copy costs more than a second write. */
const MAX_TEXT_BYTES = 32 * 1024;

const OVER = new ConnectError('The call has ended.', Code.Canceled);

async function serve(request: IncomingMessage, response: ServerResponse, o: Serving): Promise<void> {
  const abort = new AbortController();
  const { spec } = o.method;
  const deadline = o.timeoutMs === undefined ? undefined : Date.now() + o.timeoutMs;
  const timer =
    o.timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => abort.abort(new ConnectError('the operation timed out', Code.DeadlineExceeded)),
          o.timeoutMs,
        );
  const onClose = (): void => abort.abort(new ConnectError('The caller disconnected.', Code.Canceled));
  response.once('close', onClose);
  const headers = new CallHeaders(request.headers);
  const gated: GatedCall = {
    method: spec.method,
    service: spec.method.parent,
    signal: abort.signal,
    timeoutMs: () => (deadline === undefined ? undefined : deadline - Date.now()),
    values: createContextValues(),
    requestHeader: headers,
    responseHeader: headers,
  };
  let status = 200;
  let contentType = contentTypeUnaryProto;
  let body: readonly Uint8Array[];
  try {
    o.gate(gated);
    const message = o.method.read(await readBody(request, o.byteLength));
    body = o.method.write(
      await invokeAll(
        o,
        new FastContext(gated, `http://${request.headers.host ?? ''}${request.url ?? ''}`, headers),
        message,
      ),
    );
  } catch (reason) {
    const error =
      reason instanceof ConnectError
        ? reason
        : new ConnectError('internal error', Code.Internal, undefined, undefined, reason);
    status = codeToHttpStatus(error.code);
    contentType = contentTypeUnaryJson;
    // A wire error's metadata is meant for us, not for our caller.
    if (!error.isWireError) mergeNonProtocolHeaders(headers.response, error.metadata);
    body = [errorToJsonBytes(error, undefined)];
  }
  clearTimeout(timer);
  response.off('close', onClose);
  abort.abort(OVER);
  const length = lengthOf(body);
  response.writeHead(status, {
    ...headers.written(),
    'content-type': contentType,
    'content-length': length,
  });
  // Node writes headers together with a text, but separately from a buffer.
  if (length <= MAX_TEXT_BYTES) {
    response.end(latin1Of(body), 'latin1');
    return;
  }
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
}

/**
 * The headers are created on first access, by class accessors: accessors on each object would cost V8 more than the
 * rest of a call.
 */
class FastContext implements HandlerContext {
  readonly requestMethod = 'POST';
  readonly protocolName = 'connect';
  readonly method: GatedCall['method'];
  readonly service: GatedCall['service'];
  readonly signal: AbortSignal;
  readonly timeoutMs: GatedCall['timeoutMs'];
  readonly values: GatedCall['values'];
  readonly url: string;
  readonly #headers: CallHeaders;

  constructor({ method, service, signal, timeoutMs, values }: GatedCall, url: string, headers: CallHeaders) {
    this.method = method;
    this.service = service;
    this.signal = signal;
    this.timeoutMs = timeoutMs;
    this.values = values;
    this.url = url;
    this.#headers = headers;
  }

  get requestHeader(): Headers {
    return this.#headers.request;
  }

  get responseHeader(): Headers {
    return this.#headers.response;
  }

  get responseTrailer(): Headers {
    return this.#headers.trailer;
  }
}

/** The request for the interceptors. */
class FastRequest {
  readonly stream = false;
  readonly service: UnaryRequest['service'];
  readonly method: UnaryRequest['method'];
  readonly requestMethod: string;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly contextValues: UnaryRequest['contextValues'];
  readonly message: Message;
  readonly #context: HandlerContext;

  constructor(context: HandlerContext, method: UnaryRequest['method'], message: Message) {
    this.service = method.parent;
    this.method = method;
    this.requestMethod = context.requestMethod;
    this.url = context.url;
    this.signal = context.signal;
    this.contextValues = context.values;
    this.message = message;
    this.#context = context;
  }

  get header(): Headers {
    return this.#context.requestHeader;
  }
}

/** The innermost interceptor's response. */
class FastResponse {
  readonly stream = false;
  readonly service: UnaryResponse['service'];
  readonly method: UnaryResponse['method'];
  readonly message: Message;
  readonly #context: HandlerContext;

  constructor(context: HandlerContext, method: UnaryResponse['method'], message: Message) {
    this.service = method.parent;
    this.method = method;
    this.message = message;
    this.#context = context;
  }

  get header(): Headers {
    return this.#context.responseHeader;
  }

  get trailer(): Headers {
    return this.#context.responseTrailer;
  }
}

/** The original call, before the interceptors. */
interface InvokedCall {
  readonly context: HandlerContext;
  readonly spec: UnarySpec;
  readonly request: UnaryRequest;
}

/** The interceptors are composed once; by this key, the innermost one finds the call that it runs for. */
const callKey = createContextKey<InvokedCall | undefined>(undefined, {
  description: 'call on the fast path',
});

async function invokeAll(o: Serving, context: HandlerContext, message: Message): Promise<Message> {
  const { spec } = o.method;
  const request = new FastRequest(context, spec.method, message);
  context.values.set(callKey, { context, spec, request });
  const response = await o.invoke(request);
  if (response.stream) throw new ConnectError('An interceptor turned the call into a stream.', Code.Internal);
  return response.message;
}

const invokeMethod: Next = async (req) => {
  const call = req.contextValues.get(callKey);
  if (call === undefined || req.stream) throw new ConnectError('The call is unknown.', Code.Internal);
  const { context, spec, request } = call;
  // Not copied, because a copy would create the headers, which few methods read.
  const answer = await spec.impl(
    req.message,
    req === request
      ? context
      : {
          ...context,
          requestHeader: headerOf(req) ?? context.requestHeader,
          responseHeader: context.responseHeader,
          responseTrailer: context.responseTrailer,
          signal: req.signal,
          values: req.contextValues,
        },
  );
  const { output } = spec.method;
  return new FastResponse(context, spec.method, isMessage(answer, output) ? answer : create(output, answer));
};

/** The headers of a request that an interceptor passed on; a copied FastRequest has no own `header`. */
function headerOf({ header }: { readonly header?: Headers }): Headers | undefined {
  return header;
}

function readBody(request: IncomingMessage, byteLength: number): Promise<Uint8Array> {
  if (byteLength === 0) return Promise.resolve(new Uint8Array());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(joinReceived(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new ConnectError('The request ended early.', Code.Aborted));
    });
  });
}
