import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import { MAX_RESPONSE_BYTES } from '../http/send.ts';
import { parseVendorJson } from '../json-limits.ts';
import { isArray, isObject } from '../templates.ts';
import { EventStream } from './event-stream.ts';

type Fetch = typeof globalThis.fetch;

/** The most messages that a server may send in one session, and how many of them may be requests. */
const MAX_MESSAGES = 10_000;
const MAX_SERVER_REQUESTS = 100;
/** The most tools that are read from a server's list; the catalogue takes fewer. */
const MAX_LISTED_TOOLS = 2_000;
const MAX_REQUEST_ID_LENGTH = 255;

/** The way to an MCP server for one session. */
export interface SessionFetch {
  readonly fetch: Fetch;
  /** Aborts when the server exceeds a limit or breaks off an answer; its reason is the CallFailure. */
  readonly broken: AbortSignal;
}

/**
 * Creates a fetch for the SDK that passes on only whole messages within the limits, and of those only responses:
 * notifications are dropped, and a server's requests are answered here, one at a time, so that a server cannot make us
 * open many connections. The stream for messages outside of calls is not opened.
 */
export function createSessionFetch(fetch: Fetch): SessionFetch {
  const broken = new AbortController();
  let bytes = 0;
  let messages = 0;
  let serverRequests = 0;
  let tools = 0;
  let lastAnswer: Promise<unknown> = Promise.resolve();

  /** Ends the session: the SDK goes on waiting for an answer whose stream failed. */
  function breakOff(error: unknown): CallFailure {
    const failure =
      error instanceof CallFailure
        ? error
        : new CallFailure('The MCP server broke off its answer.', { cause: error });
    broken.abort(failure);
    return failure;
  }

  function count(chunk: Uint8Array): void {
    bytes += chunk.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) {
      throw new CallFailure(`The response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB.`);
    }
  }

  /** The text of a message to pass on; undefined for one that the client does not need. */
  function passedOn(message: Json, text: string | undefined, answer: Answer): string | undefined {
    messages += 1;
    if (messages > MAX_MESSAGES) {
      throw new CallFailure(`The MCP server sent more than ${MAX_MESSAGES} messages in one session.`);
    }
    if (!isObject(message) || !('method' in message))
      return shortened(message) ?? text ?? JSON.stringify(message);
    const { id } = message;
    if (id === undefined) return undefined;
    serverRequests += 1;
    if (serverRequests > MAX_SERVER_REQUESTS) {
      throw new CallFailure(`The MCP server sent more than ${MAX_SERVER_REQUESTS} requests in one session.`);
    }
    if (isRequestId(id)) lastAnswer = lastAnswer.then(() => answer(answerTo(message, id)));
    return undefined;
  }

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

  async function wholeBody(response: Response, answer: Answer): Promise<string> {
    try {
      const text = await textOf(response.body, count);
      const body = mediaTypeOf(response) === 'application/json' ? parsed(text) : undefined;
      if (body === undefined) return text;
      if (!isArray(body)) return passedOn(body, text, answer) ?? NO_MESSAGE;
      const kept = body.flatMap((message) => passedOn(message, undefined, answer) ?? []);
      return kept.length === 0 ? NO_MESSAGE : `[${kept.join(',')}]`;
    } catch (error) {
      throw breakOff(error);
    }
  }

  async function* eventsOf(
    body: AsyncIterable<Uint8Array>,
    isAnswerDue: () => boolean,
    answer: Answer,
  ): AsyncGenerator<Uint8Array> {
    const events = new EventStream();
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    let isAnswered = false;
    try {
      for await (const chunk of body) {
        count(chunk);
        for (const data of events.push(decoder.decode(chunk, { stream: true }))) {
          const message = parsed(data);
          const text = message === undefined ? undefined : passedOn(message, undefined, answer);
          if (text === undefined) continue;
          isAnswered = true;
          yield encoder.encode(`data: ${text}\n\n`);
        }
      }
      if (!isAnswered && isAnswerDue()) throw new Error('The stream has no answer.');
    } catch (error) {
      throw breakOff(error);
    }
  }

  return {
    broken: broken.signal,
    fetch: async (input, init) => {
      if (init?.method === 'GET') return new Response(null, { status: 405 });
      const response = await fetch(input, init);
      if (response.body === null) return response;
      const { status, statusText, headers } = response;
      const answer: Answer = async (message) => {
        if (broken.signal.aborted) return;
        // A server that does not take the answer has asked for nothing that the call needs.
        const taken = await fetch(input, { ...init, body: JSON.stringify(message) }).catch(() => undefined);
        await taken?.body?.cancel().catch(() => undefined);
      };
      if (response.ok && mediaTypeOf(response) === 'text/event-stream') {
        const events = eventsOf(response.body, () => isRequest(init?.body), answer);
        return new Response(ReadableStream.from(events), { status, statusText, headers });
      }
      return new Response(await wholeBody(response, answer), { status, statusText, headers });
    },
  };
}

type Answer = (message: JsonObject) => Promise<void>;

/** For the SDK, a body that is no message is an error; it would wait for the response that an empty list lacks. */
const NO_MESSAGE = '{}';

function mediaTypeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/** Whether the SDK sent a request, which the server has to answer, or else a notification. */
function isRequest(body: RequestInit['body']): boolean {
  // The SDK writes it.
  const message = typeof body === 'string' ? (JSON.parse(body) as Json) : null;
  return isObject(message) && 'id' in message && 'method' in message;
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

/** Undefined if the text is not JSON. Throws CallFailure above the limits of parseVendorJson. */
function parsed(text: string): Json | undefined {
  try {
    return parseVendorJson(text, 'The response');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function textOf(
  body: AsyncIterable<Uint8Array> | null,
  onChunk: (chunk: Uint8Array) => void,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) {
    onChunk(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
