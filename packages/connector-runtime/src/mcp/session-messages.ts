import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { MAX_RESPONSE_BYTES } from '../http/send.ts';
import { parseVendorJson } from '../json-limits.ts';
import { isArray, isObject, textOf } from '../templates.ts';
import { paramsOf } from './conversation.ts';
import type { Conversation } from './conversation.ts';

/** Maximum number of the server's messages in one call, and of its requests among them. */
const MAX_MESSAGES = 10_000;
const MAX_SERVER_REQUESTS = 100;
/** Maximum number of tools that are read from a server's list; the catalogue accepts fewer. */
const MAX_LISTED_TOOLS = 2_000;
const MAX_REQUEST_ID_LENGTH = 255;
/** Maximum bytes between two calls, such as comments that keep a stream open. */
const MAX_IDLE_BYTES = 64 * 1024;

/** Withdraws a request. Source: MCP, "Cancellation". */
const CANCELLED = 'notifications/cancelled';
const METHOD_NOT_FOUND = { code: -32_601, message: 'Method not found' };

/** Sends an answer to a request of the server. Rejects if it does not reach the server. */
type Answer = (message: JsonObject) => Promise<void>;

/**
 * The messages of a server in one session, over either transport. They are counted per call and passed on within the
 * limits. Responses are always passed on. Notifications and requests go to the call's client, if there is one;
 * without a client, notifications are dropped and requests other than pings are refused. Answers are sent one at a
 * time, so a server cannot make us open many connections.
 */
export interface SessionMessages {
  /** Whether the server may send messages at any time: true if the session's calls have a client. */
  readonly isOpenToServer: boolean;
  /** Aborts when the server exceeds a limit or interrupts an answer; its reason is the CallFailure. */
  readonly broken: AbortSignal;
  /** Begins a call: the limits count from here. The first call begins with the session. */
  startCall(): void;
  /** Sets the client that gets the server's messages from now on; undefined: none. */
  converse(conversation: Conversation | undefined): void;
  /** The client that gets the server's messages. */
  conversation(): Conversation | undefined;
  /**
   * From now until the end of the call, keeps the raw content of results, because the SDK would drop unknown members
   * and refuse unknown kinds of content. Returns a function that returns the last raw result.
   */
  setAsideContent(): () => JsonObject | undefined;
  /** Expects a response to a request with this id that the SDK did not send. */
  responseTo(id: string): Promise<JsonObject>;
  /**
   * Ends the call's remaining requests, and its conversation. After that, a message before the next call ends the
   * session; if the server may send at any time, only a response does.
   */
  endCall(): void;
  /** Aborts at the end of the current call. */
  callEnd(): AbortSignal;
  /** Ends the session, because the SDK would wait on for an answer whose stream failed. Returns the reason. */
  breakOff(error: unknown): CallFailure;
  /** Counts bytes from the server. Throws CallFailure above the limit. */
  readonly count: (chunk: Uint8Array) => void;
  /**
   * The message's text for the SDK (`text` itself if given and unchanged); undefined if the SDK does not need it.
   * Throws CallFailure above the limits.
   */
  passedOn(message: Json, text: string | undefined, answer: Answer): string | undefined;
}

/** Starts the counters of a new session. Its handshake belongs to a call with this client. */
export function createSessionMessages(first?: Conversation): SessionMessages {
  const broken = new AbortController();
  let bytes = 0;
  let messages = 0;
  let serverRequests = 0;
  let tools = 0;
  let isIdle = false;
  let callEnd = new AbortController();
  let lastAnswer: Promise<unknown> = Promise.resolve();
  let conversation = first;
  const awaited = new Map<string, (response: JsonObject) => void>();
  /** The server's pending requests to the client, by id. */
  const requests = new Map<Json, AbortController>();
  let setAside: { result?: JsonObject } | undefined;

  /** A tool list without the tools above the limit; undefined if none are above it. */
  function shortened(message: Json): string | undefined {
    const result = isObject(message) ? message['result'] : undefined;
    const toolList = isObject(result) ? result['tools'] : undefined;
    if (!isObject(message) || !isObject(result) || toolList === undefined || !isArray(toolList))
      return undefined;
    const left = Math.max(0, MAX_LISTED_TOOLS - tools);
    tools += toolList.length;
    if (toolList.length < left) return undefined;
    const { nextCursor: _ended, ...rest } = result;
    return JSON.stringify({ ...message, result: { ...rest, tools: toolList.slice(0, left) } });
  }

  /** The message without the content that is kept raw; undefined if it has none. */
  function emptied(message: Json): string | undefined {
    const result = isObject(message) ? message['result'] : undefined;
    if (setAside === undefined || !isObject(message) || !isObject(result)) return undefined;
    const isOfTask = result['resultType'] === 'task';
    if (!('content' in result) && !isOfTask) return undefined;
    setAside.result = result;
    const resultType = isOfTask ? 'complete' : result['resultType'];
    const empty = { content: [], ...(resultType !== undefined && { resultType }) };
    return JSON.stringify({ ...message, result: empty });
  }

  /** Never rejects. */
  async function answerAfter(
    former: Promise<unknown>,
    answer: () => Promise<void>,
    onLost: (error: unknown) => void,
  ): Promise<void> {
    await former;
    if (!broken.signal.aborted) await answer().catch(onLost);
  }

  /** Queues the answer to a request of the server. */
  function respond(request: JsonObject, id: string | number, answer: Answer): void {
    const method = textOf(request['method'] ?? '');
    const { signal: ended } = callEnd;
    const send = (members: JsonObject, onLost: (error: unknown) => void): void => {
      lastAnswer = answerAfter(lastAnswer, () => answer({ jsonrpc: '2.0', id, ...members }), onLost);
    };
    // The call's time stops while the tool waits for the client.
    const breakCallOff = (error: unknown): void => {
      if (!ended.aborted) breakOff(error);
    };
    // The client may take long, and the answer to a ping must not wait for it.
    if (conversation?.answers(method) === true) {
      const withdrawal = new AbortController();
      requests.set(id, withdrawal);
      const onAnswer = (members: JsonObject): void => {
        if (requests.get(id) === withdrawal) requests.delete(id);
        if (!withdrawal.signal.aborted) send(members, breakCallOff);
      };
      void conversation.answer(method, paramsOf(request), withdrawal.signal).then(onAnswer);
    }
    // Not awaited by anything.
    else send(method === 'ping' ? { result: {} } : { error: METHOD_NOT_FOUND }, () => undefined);
  }

  function breakOff(error: unknown): CallFailure {
    const failure =
      error instanceof CallFailure
        ? error
        : new CallFailure('The MCP server ended its response early.', { cause: error });
    broken.abort(failure);
    return failure;
  }

  return {
    broken: broken.signal,
    isOpenToServer: first !== undefined,

    startCall() {
      isIdle = false;
      callEnd = new AbortController();
      bytes = 0;
      messages = 0;
      serverRequests = 0;
      tools = 0;
    },

    converse(next) {
      conversation = next;
    },

    conversation: () => conversation,

    setAsideContent() {
      const kept: { result?: JsonObject } = {};
      setAside = kept;
      return () => kept.result;
    },

    async responseTo(id) {
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      awaited.set(id, resolve);
      return await promise;
    },

    endCall() {
      isIdle = true;
      awaited.clear();
      requests.clear();
      conversation = undefined;
      setAside = undefined;
      bytes = 0;
      callEnd.abort();
    },

    callEnd: () => callEnd.signal,

    breakOff,

    count(chunk) {
      bytes += chunk.byteLength;
      if (isIdle && bytes > MAX_IDLE_BYTES) throw unasked();
      if (bytes > MAX_RESPONSE_BYTES) {
        throw new CallFailure(`The response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB.`);
      }
    },

    passedOn(message, text, answer) {
      if (isIdle && !(first !== undefined && isFromServer(message))) throw unasked();
      messages += 1;
      if (messages > MAX_MESSAGES) {
        throw new CallFailure(`The MCP server sent more than ${MAX_MESSAGES} messages in one call.`);
      }
      if (!isFromServer(message)) {
        if (isObject(message) && typeof message['id'] === 'string') awaited.get(message['id'])?.(message);
        return emptied(message) ?? shortened(message) ?? text ?? JSON.stringify(message);
      }
      const { id } = message;
      if (id === undefined) {
        const params = paramsOf(message);
        if (message['method'] === CANCELLED) requests.get(params['requestId'] ?? null)?.abort();
        else conversation?.notify(textOf(message['method'] ?? ''), params);
        return undefined;
      }
      serverRequests += 1;
      if (serverRequests > MAX_SERVER_REQUESTS) {
        throw new CallFailure(`The MCP server sent more than ${MAX_SERVER_REQUESTS} requests in one call.`);
      }
      if (isRequestId(id)) respond(message, id, answer);
      return undefined;
    },
  };
}

function unasked(): CallFailure {
  return new CallFailure('The MCP server sent messages that answer no request.');
}

/** Whether a message is a request or a notification, not a response. */
export function isFromServer(message: Json): message is JsonObject {
  return isObject(message) && 'method' in message;
}

/** Parses a message. Undefined if the text is not JSON. Throws CallFailure above the limits of parseVendorJson. */
export function parsedMessage(text: string): Json | undefined {
  try {
    return parseVendorJson(text, 'The response');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a response is an event stream, by its media type. */
export function isEventStream(response: Response): boolean {
  return mediaTypeOf(response) === 'text/event-stream';
}

/** The media type of a response, in lower case, without its parameters. */
export function mediaTypeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

function isRequestId(id: Json): id is string | number {
  return typeof id === 'number' || (typeof id === 'string' && id.length <= MAX_REQUEST_ID_LENGTH);
}
