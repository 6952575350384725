import { Dispatcher, fetch as undiciFetch } from 'undici';
import type { RequestInit as UndiciRequestInit, Response as UndiciResponse } from 'undici';
import { EgressError, toEgressError } from './error.ts';
import { REDIRECT_LIMIT, nextHop, tooManyRedirects } from './redirect.ts';
import type { SocketPool } from './socket-pool.ts';
import { vetUrl } from './url.ts';

type Fetch = typeof globalThis.fetch;

/** Most bytes of one response on the wire. */
const MAX_WIRE_BYTES = 20 * 1024 * 1024;
/** Encoded bytes cost the main thread more than others, and may decode to nothing that a caller could count. */
const MAX_ENCODED_BYTES = 2 * 1024 * 1024;

/**
 * A fetch over the pool: only http and https, redirects only within their origin. Failures are EgressErrors. The caller's
 * signal limits time and decoded size, so that responses may stream for hours.
 */
export function createFetch(pool: SocketPool, userAgent: string, destination: string | undefined): Fetch {
  async function guardedFetch(
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<UndiciResponse> {
    const merged = input instanceof Request ? { ...fromRequest(input), ...init } : init;
    let url = vetUrl(input instanceof Request ? input.url : input);
    const headers = new Headers(merged.headers);
    if (!headers.has('user-agent')) headers.set('user-agent', userAgent);
    // Otherwise undici requests every encoding that it knows.
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    const signal = merged.signal ?? new AbortController().signal;
    const dispatcher = new FetchDispatcher(pool, destination ?? url.host, signal);
    let options: UndiciRequestInit = { ...toUndici(merged), headers: [...headers] };
    for (let hops = 0; hops <= REDIRECT_LIMIT; hops += 1) {
      const response = await attempt(url, { ...options, redirect: 'manual', dispatcher });
      if (merged.redirect === 'manual') return response;
      const hop = nextHop({
        status: response.status,
        location: response.headers.get('location') ?? undefined,
        url,
        method: options.method ?? 'GET',
      });
      if (hop === undefined) return response;
      await response.body?.cancel();
      if (merged.redirect === 'error')
        throw new EgressError('redirect', `${url.host} redirects, which is not followed.`);
      if (options.body instanceof ReadableStream && !hop.isBodyDropped) {
        throw new EgressError('redirect', `${url.host} redirects a request whose body cannot be sent again.`);
      }
      url = hop.url;
      options = { ...options, method: hop.method };
      if (hop.isBodyDropped) {
        options = {
          ...options,
          body: null,
          headers: [...headers].filter(([name]) => !name.startsWith('content-')),
        };
      }
    }
    throw tooManyRedirects(url);
  }
  return guardedFetch;
}

/** The pool for one fetch. */
class FetchDispatcher extends Dispatcher {
  readonly #pool: SocketPool;
  readonly #destination: string;
  readonly #signal: AbortSignal;

  constructor(pool: SocketPool, destination: string, signal: AbortSignal) {
    super();
    this.#pool = pool;
    this.#destination = destination;
    this.#signal = signal;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#pool.dispatch(
      {
        ...options,
        origin: String(options.origin),
        signal: this.#signal,
        destination: this.#destination,
        isNewConnection: false,
        maxWireBytes: MAX_WIRE_BYTES,
        maxEncodedBytes: MAX_ENCODED_BYTES,
      },
      handler,
    );
    return true;
  }
}

async function attempt(url: URL, init: UndiciRequestInit): Promise<UndiciResponse> {
  try {
    return await undiciFetch(url, init);
  } catch (error) {
    // A caller that aborts gets its own reason as the error, as from any fetch.
    if (init.signal?.aborted === true) throw init.signal.reason;
    throw toEgressError(error, { host: url.host, isTimedOut: false, isAborted: false });
  }
}

function fromRequest(request: Request): RequestInit {
  return {
    method: request.method,
    headers: request.headers,
    signal: request.signal,
    redirect: request.redirect,
    ...(request.body === null ? {} : { body: request.body, duplex: 'half' }),
  };
}

function toUndici(init: RequestInit): UndiciRequestInit {
  // The same shape, although the types come from another package.
  return init as unknown as UndiciRequestInit;
}
