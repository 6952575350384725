import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Egress } from '@fairlead/egress/egress';
import { CallFailure } from '../failure.ts';
import { authorize } from '../http/authorization.ts';
import type { RequestOwner } from '../http/request.ts';
import { isArray, isObject } from '../templates.ts';
import { CLIENT_INFO } from './client-info.ts';
import { serverUrl } from './server-url.ts';
import { isEventStream, isFromServer, parsedMessage } from './session-messages.ts';
import { pacedEvents, textWithin } from './paced-events.ts';

/** The server to follow, and the account. */
interface FollowOptions {
  /** The account, whose followed servers share a number of sockets. */
  readonly accountId: string;
  /** Resources to follow, in addition to the server's lists. */
  readonly uris: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called when the stream is open: later changes are announced. */
  readonly onOpen: () => void;
  /** Called for each notification of a change. */
  readonly notify: (method: string, params: JsonObject) => void;
}

/** The reason why the stream ended: the server ended it, or announces no changes. */
export type FollowEnd = 'ended' | 'silent';

/** Follows the changes that an MCP server announces. */
export type FollowServer = (owner: RequestOwner, o: FollowOptions) => Promise<FollowEnd>;

const MODERN = '2026-07-28';
const FORMER = '2025-11-25';
const LISTEN = 'subscriptions/listen';
const CHANGES: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);
/** Statuses of a server that does not support the request. Source: MCP, "Transports", backwards compatibility. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 405]);
/** Statuses of a server or proxy that may accept the same request later. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const HANDSHAKE_MS = 20_000;
/** Maximum wait for the response headers of a stream: a server may send them together with its first message. */
const OPENING_MS = 1_000;
const END_MS = 2_000;
/** Maximum number of queued answers to the server's requests; further requests are dropped. */
const MAX_ANSWERS = 10;
/** Pause between two answers, because a server may send requests without end. */
const ANSWER_PAUSE_MS = 100;
const METHOD_NOT_FOUND = { code: -32_601, message: 'Method not found' };

/**
 * Creates a follower. It costs a socket and no process per server: messages are read in this process, at a limited
 * rate, and only searched for notifications of changes. It supports every protocol version. Throws CallFailure or
 * EgressError if the server fails.
 */
export function createFollowServer(deps: {
  readonly egress: Pick<Egress, 'createFetch'>;
  /** Charges processor time to an account. */
  readonly measure: <T>(accountId: string, work: () => T) => T;
}): FollowServer {
  return async (owner, o) => {
    const { method, credential } = owner;
    const target = authorize(method.scheme, credential, { url: serverUrl(owner), headers: {} });
    const fetch = deps.egress.createFetch(o.accountId);
    const measure = <T>(work: () => T): T => deps.measure(o.accountId, work);
    const over = new AbortController();
    const signal = AbortSignal.any([o.signal, over.signal]);
    const server = new FollowedServer({ ...o, ...target, signal, fetch, measure });
    try {
      return (await server.followAtOnce()) ?? (await server.followSession()) ?? (await server.followEvents());
    } finally {
      // After a failure, the stream and its socket may still be open.
      over.abort();
    }
  };
}

/** The means to reach a server. */
interface ServerAccess {
  readonly url: URL;
  /** Headers with the credential, if it is sent in a header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly measure: <T>(work: () => T) => T;
}

/** Follows one server with the first transport that it supports. */
class FollowedServer {
  readonly #o: FollowOptions & ServerAccess;
  /** The session's headers. */
  #session: Readonly<Record<string, string>> = {};
  #answering = Promise.resolve();
  #answers = 0;

  constructor(o: FollowOptions & ServerAccess) {
    this.#o = o;
  }

  /** Follows without a handshake (2026-07-28); undefined: the server does not support that version. */
  async followAtOnce(): Promise<FollowEnd | undefined> {
    const { uris, onOpen } = this.#o;
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': LISTEN };
    const response = await this.#post(requestOf(LISTEN, { notifications, _meta }), { headers });
    const body = streamOf(response);
    if (body === undefined) {
      await drop(response);
      return undefined;
    }
    let isOpen = false;
    for await (const message of this.#messages(body)) {
      // A server of an earlier version may send its refusal in an event stream, too.
      if (!isFromServer(message))
        return isObject(message) && 'error' in message && !isOpen ? undefined : 'ended';
      if (!isOpen) onOpen();
      isOpen = true;
      this.#take(message);
    }
    return 'ended';
  }

  /** Follows in a session over Streamable HTTP; undefined: the server does not support that transport. */
  async followSession(): Promise<FollowEnd | undefined> {
    const { url, onOpen, fetch, headers } = this.#o;
    const response = await this.#post(initialize());
    if (REFUSED.has(response.status)) {
      await drop(response);
      return undefined;
    }
    const result = await this.#resultIn(response);
    if (result === undefined) return 'silent';
    const id = response.headers.get('mcp-session-id');
    const { protocolVersion } = result;
    this.#session = {
      ...(typeof protocolVersion === 'string' && { 'mcp-protocol-version': protocolVersion }),
      ...(id !== null && { 'mcp-session-id': id }),
    };
    try {
      if (!this.#announces(result)) return 'silent';
      await drop(await this.#post(INITIALIZED));
      const opening = this.#get();
      // Subscribe only after the stream is open; an earlier change would be lost.
      await Promise.race([opening, delay(OPENING_MS)]);
      await this.#subscribe(url);
      onOpen();
      const body = await opening;
      if (body === undefined) return 'silent';
      for await (const message of this.#messages(body)) this.#take(message);
      return 'ended';
    } finally {
      // Not awaited: it only ends the session at the server before it would expire.
      if (id !== null)
        void fetch(url, {
          method: 'DELETE',
          headers: { ...headers, ...this.#session },
          signal: AbortSignal.timeout(END_MS),
        }).then(drop, () => undefined);
    }
  }

  /** Follows over HTTP+SSE (2024-11-05). Throws CallFailure if the server does not support it either. */
  async followEvents(): Promise<FollowEnd> {
    const { url, onOpen, measure } = this.#o;
    const body = await this.#get();
    if (body === undefined) throw new CallFailure('The address does not respond as an MCP server.');
    let endpoint: URL | undefined;
    let isOpen = false;
    for await (const { type, data } of pacedEvents(body, this.#o)) {
      // A server that repeats this event must not make us send again.
      if (type === 'endpoint' && endpoint === undefined) {
        endpoint = URL.parse(data, url.href) ?? undefined;
        // Every message carries the credential.
        if (endpoint?.origin !== url.origin)
          throw new CallFailure('The MCP server named an address of another origin for messages.');
        await drop(await this.#post(initialize(), { url: endpoint }));
        continue;
      }
      const message = type === 'message' ? measure(() => parsedMessage(data)) : undefined;
      if (message === undefined || endpoint === undefined) continue;
      const result = resultOf(message);
      if (result === undefined) this.#take(message, endpoint);
      else if ('protocolVersion' in result && !isOpen) {
        isOpen = true;
        if (!this.#announces(result)) return 'silent';
        await drop(await this.#post(INITIALIZED, { url: endpoint }));
        await this.#subscribe(endpoint);
        onOpen();
      }
    }
    return 'ended';
  }

  #announces({ capabilities }: JsonObject): boolean {
    if (this.#o.uris.length > 0) return true;
    return (
      isObject(capabilities) &&
      Object.values(capabilities).some((each) => isObject(each) && each['listChanged'] === true)
    );
  }

  /** A subscription that the server refuses is skipped. */
  async #subscribe(url: URL): Promise<void> {
    for (const uri of this.#o.uris)
      await drop(await this.#post(requestOf('resources/subscribe', { uri }), { url }));
  }

  /** Opens the standalone stream, for messages outside of responses; undefined: the server has none. */
  async #get(): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { url, headers, fetch, signal } = this.#o;
    const response = await fetch(url, {
      headers: { ...headers, ...this.#session, accept: 'text/event-stream' },
      signal,
    });
    await requireCredential(response);
    const body = streamOf(response);
    if (body !== undefined) return body;
    await drop(response);
    if (PASSING.has(response.status)) throw failed(response);
    return undefined;
  }

  /** Sends a message. Throws CallFailure if the server refuses the credential or fails. */
  async #post(
    message: JsonObject,
    o: { readonly url?: URL; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> {
    const { url, headers, fetch, signal } = this.#o;
    const isLasting = message['method'] === LISTEN;
    const response = await fetch(o.url ?? url, {
      method: 'POST',
      headers: {
        ...headers,
        ...this.#session,
        ...o.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal: isLasting ? signal : AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)]),
    });
    await requireCredential(response);
    if (response.status < 500 && response.status !== 429) return response;
    await drop(response);
    throw failed(response);
  }

  /** The result in a JSON-RPC response; undefined: an error, or an unreadable response. */
  async #resultIn(response: Response): Promise<JsonObject | undefined> {
    const stream = streamOf(response);
    if (stream === undefined) {
      const message = parsedMessage(await textWithin(response.body));
      return message === undefined ? undefined : resultOf(message);
    }
    for await (const message of this.#messages(stream)) if (!isFromServer(message)) return resultOf(message);
    return undefined;
  }

  async *#messages(body: AsyncIterable<Uint8Array>): AsyncGenerator<Json> {
    for await (const { type, data } of pacedEvents(body, this.#o)) {
      const message = type === 'message' ? this.#o.measure(() => parsedMessage(data)) : undefined;
      if (message !== undefined) yield* isArray(message) ? message : [message];
    }
  }

  /** Handles a message of the server: passes on a change, or answers a request. */
  #take(message: Json, url: URL = this.#o.url): void {
    if (!isFromServer(message)) return;
    const { id, method, params } = message;
    if (id === undefined) {
      if (typeof method === 'string' && CHANGES.has(method))
        this.#o.notify(method, params !== undefined && isObject(params) ? params : {});
      return;
    }
    if ((typeof id !== 'string' && typeof id !== 'number') || this.#answers >= MAX_ANSWERS) return;
    const answer = method === 'ping' ? { result: {} } : { error: METHOD_NOT_FOUND };
    this.#answers += 1;
    this.#answering = this.#answering
      .then(() => this.#answer({ jsonrpc: '2.0', id, ...answer }, url))
      .finally(() => void (this.#answers -= 1));
  }

  /** Never rejects: without the answer, the server continues or ends the stream. */
  async #answer(message: JsonObject, url: URL): Promise<void> {
    await this.#post(message, { url }).then(drop, () => undefined);
    await delay(ANSWER_PAUSE_MS, undefined, { signal: this.#o.signal }).catch(() => undefined);
  }
}

const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

function initialize(): JsonObject {
  return requestOf('initialize', { protocolVersion: FORMER, capabilities: {}, clientInfo: CLIENT_INFO });
}

let lastId = 0;

function requestOf(method: string, params: object): JsonObject {
  // The members of `params` are JSON.
  return { jsonrpc: '2.0', id: (lastId += 1), method, params: params as JsonObject };
}

function resultOf(message: Json): JsonObject | undefined {
  const result = isObject(message) ? message['result'] : undefined;
  return result !== undefined && isObject(result) ? result : undefined;
}

function streamOf(response: Response): AsyncIterable<Uint8Array> | undefined {
  return response.ok && isEventStream(response) && response.body !== null ? response.body : undefined;
}

async function requireCredential(response: Response): Promise<void> {
  if (response.status !== 401 && response.status !== 403) return;
  await drop(response);
  throw new CallFailure('The MCP server refused the credential.', { isUnauthorized: true });
}

function failed({ status }: Response): CallFailure {
  return new CallFailure(`The MCP server responded with HTTP status ${status}.`);
}

/** Never rejects. */
async function drop({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => undefined);
}
