import { parseJSONRPCMessage, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { CallFailure } from '../failure.ts';
import { EventStream } from './event-stream.ts';
import type { StreamEvent } from './event-stream.ts';
import { isEventStream, parsedMessage } from './session-messages.ts';
import type { SessionMessages } from './session-messages.ts';

/**
 * The client's end of the HTTP+SSE transport (MCP 2024-11-05). The server sends all messages on one stream; its first
 * event names the URL for our messages. The SDK's own implementation reopens a lost stream by itself, which `session`
 * could not count.
 */
export class SseTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #session: SessionMessages;
  readonly #closed = new AbortController();
  readonly #endpoint = Promise.withResolvers<URL>();

  constructor(o: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly fetch: typeof globalThis.fetch;
    readonly session: SessionMessages;
  }) {
    this.#url = o.url;
    this.#headers = o.headers;
    this.#fetch = o.fetch;
    this.#session = o.session;
    // The promise is awaited by the code that starts the transport, if any.
    this.#endpoint.promise.catch(() => undefined);
  }

  /** Opens the stream; resolves once the server has named the URL for messages. Throws SdkHttpError if the server refuses. */
  async start(): Promise<void> {
    const response = await this.#fetch(this.#url, {
      headers: { ...this.#headers, accept: 'text/event-stream' },
      signal: this.#closed.signal,
    });
    if (!response.ok || !isEventStream(response) || response.body === null) {
      await response.body?.cancel().catch(() => undefined);
      const { status, statusText } = response;
      throw new SdkHttpError(
        SdkErrorCode.ClientHttpFailedToOpenStream,
        'The response is not a stream of events.',
        {
          status,
          statusText,
        },
      );
    }
    void this.#read(response.body);
    await this.#endpoint.promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#post(await this.#endpoint.promise, message);
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#endpoint.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'The session is closed.'));
    this.onclose?.();
  }

  async #post(endpoint: URL, message: object): Promise<void> {
    const response = await this.#fetch(endpoint, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: this.#closed.signal,
    });
    // The body is ignored, because answers come on the stream.
    await response.body?.cancel().catch(() => undefined);
    if (response.ok) return;
    const { status, statusText } = response;
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'The message was refused.', {
      status,
      statusText,
    });
  }

  /** If the server refuses an answer, it continues without it. */
  async #answer(message: object): Promise<void> {
    try {
      await this.#post(await this.#endpoint.promise, message);
    } catch (error) {
      if (!(error instanceof SdkHttpError)) throw error;
    }
  }

  /** Reads the stream. Never rejects: if the stream ends early, the session ends too. */
  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const events = new EventStream();
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        this.#session.count(chunk);
        for (const event of events.push(decoder.decode(chunk, { stream: true }))) this.#take(event);
      }
      throw new Error('The stream has ended.');
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#endpoint.reject(this.#session.breakOff(error));
      this.#closed.abort();
    }
  }

  #take({ type, data }: StreamEvent): void {
    if (type === 'endpoint') {
      this.#endpoint.resolve(this.#endpointOf(data));
      return;
    }
    if (type !== 'message') return;
    const message = parsedMessage(data);
    if (message === undefined) throw notAMessage();
    const text = this.#session.passedOn(message, data, (answer) => this.#answer(answer));
    if (text !== undefined) this.onmessage?.(jsonRpcMessage(text));
  }

  /** Every message carries the credential, so the URL must have the server's origin. */
  #endpointOf(data: string): URL {
    const endpoint = URL.parse(data, this.#url.href);
    if (endpoint?.origin === this.#url.origin) return endpoint;
    throw new CallFailure('The MCP server named an address of another origin for messages.');
  }
}

function jsonRpcMessage(text: string): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(JSON.parse(text));
  } catch (cause) {
    throw notAMessage(cause);
  }
}

function notAMessage(cause?: unknown): CallFailure {
  return new CallFailure('The MCP server sent an event that is not a message of the protocol.', { cause });
}
