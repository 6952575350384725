import type { HandleMessageInteractivelyResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { listen, pause, RESOURCE_NOTICE } from '../interaction/listen.ts';
import { jsonValue } from '../json-value.ts';

/** A message to the mcp service, without the server's id. */
export type ListenMessage = ReturnType<typeof listenMessage>;

/** Sends the mcp service a subscription message, until `signal` aborts. */
export type OpenListening = (
  message: ListenMessage,
  signal: AbortSignal,
) => AsyncIterable<HandleMessageInteractivelyResponse>;

/** The dependencies of {@link FollowedResources}. */
interface FollowedResourcesDeps {
  /** The URIs to which the session is subscribed. */
  readonly read: () => Promise<readonly string[]>;
  readonly open: OpenListening;
  /** Called if the client may have missed a change of any of these resources. */
  readonly hasMissed: boolean;
  /** Sends a message to the client. */
  readonly send: (json: Uint8Array) => void;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

/** Pause after a failure. */
const RETRY_MS = 5_000;
const LISTEN = 'subscriptions/listen';
const VERSION = '2026-07-28';

/** Notifies the client of one stream of changes of its session's subscribed resources. */
export class FollowedResources {
  readonly #o: FollowedResourcesDeps;
  #isEnded = false;
  #hasMissed: boolean;
  #reading = Promise.resolve();
  #uris: readonly string[] = [];
  #listening: AbortController | undefined;

  constructor(o: FollowedResourcesDeps) {
    this.#o = o;
    this.#hasMissed = o.hasMissed;
  }

  /** Reads the subscriptions again. Resolves when they are read. Never rejects. */
  refresh(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  /** Called when the stream has ended. */
  end(): void {
    this.#isEnded = true;
    this.#listening?.abort();
  }

  async #read(): Promise<void> {
    if (this.#isEnded) return;
    const { read, timers, log } = this.#o;
    try {
      this.#follow(await read());
    } catch (error) {
      log.warn({ err: error }, 'the subscriptions of a session cannot be read');
      timers.after(RETRY_MS, () => void this.refresh());
    }
  }

  #follow(uris: readonly string[]): void {
    const isSame = uris.length === this.#uris.length && uris.every((uri) => this.#uris.includes(uri));
    const hasMissed = this.#hasMissed;
    this.#hasMissed = false;
    if (this.#isEnded || isSame) return;
    this.#uris = uris;
    const former = this.#listening;
    this.#listening = undefined;
    const endFormer = (): void => former?.abort();
    if (uris.length === 0) return endFormer();
    const next = new AbortController();
    this.#listening = next;
    next.signal.addEventListener('abort', endFormer);
    // No change is missed in between: the former request continues until the next one has begun.
    void this.#listen(uris, next.signal, { hasMissed, onBegun: endFormer });
  }

  async #listen(
    uris: readonly string[],
    signal: AbortSignal,
    { hasMissed, onBegun }: { readonly hasMissed: boolean; readonly onBegun: () => void },
  ): Promise<void> {
    const { open, timers, log } = this.#o;
    let mayHaveMissed = hasMissed;
    while (!signal.aborted) {
      try {
        for await (const message of listen(() => open(listenMessage(uris), signal), { signal, timers })) {
          // The service refused the request.
          if (!(message instanceof Uint8Array)) break;
          onBegun();
          if (mayHaveMissed) for (const uri of uris) this.#tell(uri);
          mayHaveMissed = false;
          const updated = updatedUri(message);
          if (updated !== undefined) this.#tell(updated);
        }
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'changes of resources are not followed');
      }
      mayHaveMissed = true;
      await pause(RETRY_MS, signal, timers);
    }
  }

  #tell(uri: string): void {
    if (this.#isEnded || !this.#uris.includes(uri)) return;
    const message = { jsonrpc: '2.0', method: RESOURCE_NOTICE, params: { uri } };
    this.#o.send(Buffer.from(JSON.stringify(message)));
  }
}

/** The subscription request of version 2026-07-28; the service announces changes only in this way. */
function listenMessage(uris: readonly string[]) {
  const params = {
    notifications: { resourceSubscriptions: uris },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const request = { jsonrpc: '2.0', id: LISTEN, method: LISTEN, params };
  return { body: Buffer.from(JSON.stringify(request)), protocolVersion: VERSION, methodHeader: LISTEN };
}

/** The URI of the resource in a change notification; undefined: another notification. */
function updatedUri(json: Uint8Array): string | undefined {
  // The service wrote this message.
  const { method, params } = jsonValue(json) as { method?: unknown; params?: { uri?: unknown } };
  const uri = params?.uri;
  return method === RESOURCE_NOTICE && typeof uri === 'string' ? uri : undefined;
}
