import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import { MAX_RESPONSE_BYTES } from '../http/send.ts';
import { parseVendorJson } from '../json-limits.ts';
import { isArray, isObject } from '../templates.ts';

/** The most messages that a server may send in one call, and how many of them may be requests. */
const MAX_MESSAGES = 10_000;
const MAX_SERVER_REQUESTS = 100;
/** The most tools that are read from a server's list; the catalogue takes fewer. */
const MAX_LISTED_TOOLS = 2_000;
const MAX_REQUEST_ID_LENGTH = 255;
/** The most bytes between two calls: comments that keep a stream open. */
const MAX_IDLE_BYTES = 64 * 1024;

/** Sends our answer to a request of the server. */
type Answer = (message: JsonObject) => Promise<void>;

/**
 * The messages of a server in one session, on whichever wire: counted for each call, and passed on only within the limits. Only
 * responses are passed on: notifications are dropped, and a server's requests are answered one at a time, so that a server
 * cannot make us open many connections.
 */
export interface SessionMessages {
  /** Aborts when the server exceeds a limit or breaks off an answer; its reason is the CallFailure. */
  readonly broken: AbortSignal;
  /** The limits count from here on: a call begins, as one does with the session. */
  startCall(): void;
  /** Ends what is left of the call's requests. A message before the next call breaks the session off. */
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

/** Starts to count for a new session. */
export function createSessionMessages(): SessionMessages {
  const broken = new AbortController();
  let bytes = 0;
  let messages = 0;
  let serverRequests = 0;
  let tools = 0;
  let isIdle = false;
  let callEnd = new AbortController();
  let lastAnswer: Promise<unknown> = Promise.resolve();

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

  async function answerAfter(former: Promise<unknown>, answer: () => Promise<void>): Promise<void> {
    await former;
    if (!broken.signal.aborted) await answer();
  }

  return {
    broken: broken.signal,

    startCall() {
      isIdle = false;
      callEnd = new AbortController();
      bytes = 0;
      messages = 0;
      serverRequests = 0;
      tools = 0;
    },

    endCall() {
      isIdle = true;
      bytes = 0;
      callEnd.abort();
    },

    callEnd: () => callEnd.signal,

    breakOff(error) {
      const failure =
        error instanceof CallFailure
          ? error
          : new CallFailure('The MCP server broke off its answer.', { cause: error });
      broken.abort(failure);
      return failure;
    },

    count(chunk) {
      bytes += chunk.byteLength;
      if (isIdle && bytes > MAX_IDLE_BYTES) throw unasked();
      if (bytes > MAX_RESPONSE_BYTES) {
        throw new CallFailure(`The response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB.`);
      }
    },

    passedOn(message, text, answer) {
      if (isIdle) throw unasked();
      messages += 1;
      if (messages > MAX_MESSAGES) {
        throw new CallFailure(`The MCP server sent more than ${MAX_MESSAGES} messages in one call.`);
      }
      if (!isObject(message) || !('method' in message))
        return shortened(message) ?? text ?? JSON.stringify(message);
      const { id } = message;
      if (id === undefined) return undefined;
      serverRequests += 1;
      if (serverRequests > MAX_SERVER_REQUESTS) {
        throw new CallFailure(`The MCP server sent more than ${MAX_SERVER_REQUESTS} requests in one call.`);
      }
      if (isRequestId(id)) {
        lastAnswer = answerAfter(lastAnswer, () => answer(answerTo(message, id)));
      }
      return undefined;
    },
  };
}

function unasked(): CallFailure {
  return new CallFailure('The MCP server sent messages that nobody asked for.');
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

/** Pings are answered; for anything else there is no user here. */
function answerTo({ method }: JsonObject, id: string | number): JsonObject {
  return method === 'ping'
    ? { jsonrpc: '2.0', id, result: {} }
    : { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } };
}
