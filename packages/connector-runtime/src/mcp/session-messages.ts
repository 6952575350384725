import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import { MAX_RESPONSE_BYTES } from '../http/send.ts';
import { parseVendorJson } from '../json-limits.ts';
import { isArray, isObject, textOf } from '../templates.ts';
import { paramsOf } from './conversation.ts';
import type { Conversation } from './conversation.ts';

/** The most messages that a server may send in one call, and how many of them may be requests. */
const MAX_MESSAGES = 10_000;
const MAX_SERVER_REQUESTS = 100;
/** The most tools that are read from a server's list; the catalogue takes fewer. */
const MAX_LISTED_TOOLS = 2_000;
const MAX_REQUEST_ID_LENGTH = 255;
/** The most bytes between two calls: comments that keep a stream open. */
const MAX_IDLE_BYTES = 64 * 1024;

/** Withdraws a request. Source: MCP, "Cancellation". */
const CANCELLED = 'notifications/cancelled';
const METHOD_NOT_FOUND = { code: -32_601, message: 'Method not found' };

/** Sends our answer to a request of the server. Rejects if it does not reach the server. */
type Answer = (message: JsonObject) => Promise<void>;

/**
 * The messages of a server in one session, on whichever wire: counted for each call, and passed on only within the limits. Only
 * responses are passed on. Notifications and requests are for the client of the call, if it has one; otherwise notifications are dropped,
 * and requests but pings are refused. Our answers are sent one at a time, so that a server cannot make us open many connections.
 */
export interface SessionMessages {
  /** Whether the server may speak at any time: a session whose calls have a client. */
  readonly isOpenToServer: boolean;
  /** Aborts when the server exceeds a limit or breaks off an answer; its reason is the CallFailure. */
  readonly broken: AbortSignal;
  /** The limits count from here on: a call begins, as one does with the session. */
  startCall(): void;
  /** From here on the server's messages are for this client; undefined: for none. */
  converse(conversation: Conversation | undefined): void;
  /** The client that they are for. */
  conversation(): Conversation | undefined;
  /**
   * From here on until the end of the call, the content of results is set aside: the SDK would drop members that it does not know, and
   * refuse content of a kind that it does not know. Returns a function that returns the last of these results.
   */
  setAsideContent(): () => JsonObject | undefined;
  /** The response to a request with this id, which the SDK has not sent. */
  responseTo(id: string): Promise<JsonObject>;
  /**
   * Ends what is left of the call's requests, and its conversation. A message before the next call breaks the session off; if the server
   * may speak at any time, only a response does.
   */
  endCall(): void;
  /** Aborts at the end of the current call. */
  callEnd(): AbortSignal;
  /** Ends the session: the SDK goes on waiting for an answer whose stream failed. Returns why. */
  breakOff(error: unknown): CallFailure;
  /** Counts bytes of the server. Throws CallFailure above the limit. */
  readonly count: (chunk: Uint8Array) => void;
  /**
   * The text of a message to pass on, which is `text` if it is given and unchanged; undefined for one that the client does not
   * need. Throws CallFailure above the limits.
   */
  passedOn(message: Json, text: string | undefined, answer: Answer): string | undefined;
}

/** Starts to count for a new session, whose handshake is part of a call with that client. */
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
  /** Requests of the server that wait for the client, by their ids. */
  const asked = new Map<Json, AbortController>();
  let setAside: { result?: JsonObject } | undefined;

  /** A list of tools without those above the limit; undefined if there are none. */
  function shortened(message: Json): string | undefined {
    const result = isObject(message) ? message['result'] : undefined;
    const listed = isObject(result) ? result['tools'] : undefined;
    if (!isObject(message) || !isObject(result) || listed === undefined || !isArray(listed)) return undefined;
    const left = Math.max(0, MAX_LISTED_TOOLS - tools);
    tools += listed.length;
    if (listed.length < left) return undefined;
    const { nextCursor: _ended, ...rest } = result;
    return JSON.stringify({ ...message, result: { ...rest, tools: listed.slice(0, left) } });
  }

  /** The message without the content that is set aside; undefined if there is none. */
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

  /** Answers a request of the server in its turn. */
  function respond(request: JsonObject, id: string | number, answer: Answer): void {
    const method = textOf(request['method'] ?? '');
    const { signal: ended } = callEnd;
    const send = (members: JsonObject, onLost: (error: unknown) => void): void => {
      lastAnswer = answerAfter(lastAnswer, () => answer({ jsonrpc: '2.0', id, ...members }), onLost);
    };
    // The tool waits for the client's answer, and the call for the tool.
    const breakCallOff = (error: unknown): void => {
      if (!ended.aborted) breakOff(error);
    };
    // A client may take long, and a ping does not wait for it.
    if (conversation?.answers(method) === true) {
      const withdrawal = new AbortController();
      asked.set(id, withdrawal);
      const onAnswer = (members: JsonObject): void => {
        if (asked.get(id) === withdrawal) asked.delete(id);
        if (!withdrawal.signal.aborted) send(members, breakCallOff);
      };
      void conversation.answer(method, paramsOf(request), withdrawal.signal).then(onAnswer);
    }
    // Nothing waits for these.
    else send(method === 'ping' ? { result: {} } : { error: METHOD_NOT_FOUND }, () => undefined);
  }

  function breakOff(error: unknown): CallFailure {
    const failure =
      error instanceof CallFailure
        ? error
        : new CallFailure('The MCP server broke off its answer.', { cause: error });
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
      asked.clear();
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
        if (message['method'] === CANCELLED) asked.get(params['requestId'] ?? null)?.abort();
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
  return new CallFailure('The MCP server sent messages that nobody asked for.');
}

/** Whether a message is a request or a notification, and no response. */
export function isFromServer(message: Json): message is JsonObject {
  return isObject(message) && 'method' in message;
}

/** Undefined if the text is not JSON. Throws CallFailure above the limits of parseVendorJson. */
export function parsedMessage(text: string): Json | undefined {
  try {
    return parseVendorJson(text, 'The response');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the server states that a response is a stream of events. */
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
