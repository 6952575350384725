import type { Credential } from './credential.ts';
import { failureOf, FairleadConnectionError, FairleadError, FairleadTimeoutError } from './errors.ts';
import type { TryError } from './errors.ts';
import { retryDelayMs } from './retry.ts';
import type { RetryPolicy } from './retry.ts';

/** The options of a single request. */
export interface RequestOptions {
  /** Cancels the request, even while it waits to be repeated; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt; default: the client's own. */
  readonly timeoutMs?: number | undefined;
  /** Default: the client's own. */
  readonly maxRetries?: number | undefined;
  /**
   * The Idempotency-Key of a POST: within 24 hours, the same key returns the response to its first request.
   * Each POST gets a generated key by default; null sends none, and the request is then not repeated.
   */
  readonly idempotencyKey?: string | null | undefined;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Bytes that are sent unchanged. A stream can be read only once; any other content can be sent again. */
export type Content = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** One request, as the methods of the resources describe it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address; its segments are encoded. */
  readonly path: string;
  /** The members of `params` that belong in the query. */
  readonly query?: readonly string[];
  /** The other members of `params` are the JSON body; an optional body is omitted if there are none. */
  readonly body?: 'required' | 'optional';
  readonly params?: object;
  /** Instead of a JSON body: the content and its media type. */
  readonly content?: readonly [Content, string];
}

/** The dependencies of a transport. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly parseJson: (text: string) => unknown;
}

interface OutgoingRequest {
  readonly url: string;
  readonly method: Call['method'];
  readonly headers: Headers;
  readonly body: string | Content | undefined;
}

/** Sends requests: credential, Idempotency-Key, deadline, repeats, errors. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** The parsed response, whose type the generated caller knows; undefined if the response has no content. */
  async call<T>(call: Call, options: RequestOptions): Promise<T> {
    const text = await this.#send(call, options, (response) => response.text());
    // The one place where a response gets its type from the OpenAPI document.
    if (text === '') return undefined as T;
    try {
      return this.#options.parseJson(text) as T;
    } catch (cause) {
      const message = `What answers at ${this.#options.baseUrl} is not the API: its answer is no JSON.`;
      throw new FairleadConnectionError(message, { cause });
    }
  }

  /** The body of the response as it arrives; `timeoutMs` only limits the wait for its beginning. */
  async stream(call: Call, options: RequestOptions): Promise<ReadableStream<Uint8Array>> {
    return await this.#send(call, options, (response) =>
      Promise.resolve(response.body ?? new ReadableStream()),
    );
  }

  async #send<R>(call: Call, options: RequestOptions, read: (response: Response) => Promise<R>): Promise<R> {
    const { credential, retries, wait } = this.#options;
    const request = prepare(call, this.#options.baseUrl, options);
    let [name, value] = await credential.header();
    let isRenewed = false;
    for (let attempt = 0; ;) {
      request.headers.set(name, value);
      const outcome = await this.#try(request, options, read);
      if ('answer' in outcome) return outcome.answer;
      const { error } = outcome;
      if (request.body instanceof ReadableStream) throw error;
      const next = isUnauthorized(error) && !isRenewed ? await credential.next(value) : undefined;
      if (next !== undefined) {
        [name, value] = next;
        isRenewed = true;
        continue;
      }
      const delay = retryDelayMs(error, {
        attempt,
        isSafe: request.method === 'GET',
        hasKey: request.headers.has(IDEMPOTENCY_KEY),
        policy: { ...retries, maxRetries: options.maxRetries ?? retries.maxRetries },
        random: Math.random,
      });
      if (delay === undefined) throw error;
      await wait(delay, options.signal);
      attempt += 1;
    }
  }

  async #try<R>(
    { url, method, headers, body }: OutgoingRequest,
    options: RequestOptions,
    read: (response: Response) => Promise<R>,
  ): Promise<{ readonly answer: R } | { readonly error: TryError }> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const signals = options.signal === undefined ? [] : [options.signal];
    try {
      const response = await this.#options.fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        // `duplex` is required for streams, although no platform's types declare it.
        ...(body instanceof ReadableStream && { duplex: 'half' }),
        // Following a redirect would send x-api-key to its target.
        redirect: 'manual',
        signal: AbortSignal.any([deadline.signal, ...signals]),
      });
      if (response.ok) return { answer: await read(response) };
      // A browser hides a redirect response that it was told not to follow.
      if (response.type === 'opaqueredirect') throw new Error('the address answers with a redirect');
      return { error: failureOf(response, await response.text(), Date.now()) };
    } catch (cause) {
      options.signal?.throwIfAborted();
      return { error: this.#unanswered(cause, deadline.signal.aborted, timeoutMs) };
    } finally {
      clearTimeout(timer);
    }
  }

  #unanswered(cause: unknown, isLate: boolean, timeoutMs: number): TryError {
    if (isLate) return new FairleadTimeoutError(`No answer within ${timeoutMs} ms.`, { cause });
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const text = reason instanceof Error ? reason.message : String(reason);
    return new FairleadConnectionError(`${this.#options.baseUrl} did not answer: ${text}`, { cause });
  }
}

const IDEMPOTENCY_KEY = 'idempotency-key';

function isUnauthorized(error: TryError): boolean {
  return error instanceof FairleadError && error.status === 401;
}

function prepare(call: Call, baseUrl: string, options: RequestOptions): OutgoingRequest {
  const { method, path, query = [], params = {} } = call;
  const search = new URLSearchParams();
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(params) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!query.includes(name)) members.push([name, value]);
    // A parameter of the query is a string, a number or a boolean.
    else search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const headers = new Headers({ accept: 'application/json', ...options.headers });
  const hasBody = call.body === 'required' || (call.body === 'optional' && members.length > 0);
  if (hasBody) headers.set('content-type', 'application/json');
  if (call.content !== undefined) headers.set('content-type', call.content[1]);
  if (method === 'POST' && options.idempotencyKey !== null) {
    headers.set(IDEMPOTENCY_KEY, options.idempotencyKey ?? uuid());
  }
  const suffix = search.size === 0 ? '' : `?${search.toString()}`;
  return {
    method,
    url: `${baseUrl}${path}${suffix}`,
    headers,
    body: hasBody ? JSON.stringify(Object.fromEntries(members)) : call.content?.[0],
  };
}

/** A version 4 UUID. `crypto.randomUUID` is missing on pages that are not served over https. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = '89ab'[(bytes[8] ?? 0) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** One segment of a path. Throws a TypeError for a value that would change the path. */
export function segment(value: string | number): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`Fairlead: ${JSON.stringify(text)} cannot name a record.`);
  }
  return encodeURIComponent(text);
}
