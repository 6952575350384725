import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import { isArray, isObject } from '../templates.ts';
import { EventStream } from './event-stream.ts';
import { isEventStream, isFromServer, mediaTypeOf, parsedMessage } from './session-messages.ts';
import type { SessionMessages } from './session-messages.ts';

type Fetch = typeof globalThis.fetch;
type Answer = (message: JsonObject) => Promise<void>;

/** For the SDK, a body that is no message is an error; it would wait for the response that an empty list lacks. */
const NO_MESSAGE = '{}';

/** Time to wait before a stream is opened again, unless the server states another one, and the least of it. */
const RETRY_MS = 1_000;
const MIN_RETRY_MS = 100;
/** Most time that one call waits in all to open its streams again. The deadline of the call may be shorter. */
const MAX_WAIT_MS = 300_000;

/**
 * Creates a fetch for the SDK's Streamable HTTP transport that passes on only whole messages, as `session` allows. The stream
 * for messages outside of responses is opened only if the server may use it; `onListening` is called once the server has answered to that,
 * or there is no such stream.
 */
export function createSessionFetch(
  fetch: Fetch,
  session: SessionMessages,
  onListening: () => void = () => undefined,
): Fetch {
  async function wholeBody(response: Response, answer: Answer): Promise<string> {
    const callEnd = session.callEnd();
    try {
      const text = await textOf(response.body, session.count);
      const body = mediaTypeOf(response) === 'application/json' ? parsedMessage(text) : undefined;
      if (body === undefined) return text;
      if (!isArray(body)) return session.passedOn(body, text, answer) ?? NO_MESSAGE;
      const kept = body.flatMap((message) => session.passedOn(message, undefined, answer) ?? []);
      return kept.length === 0 ? NO_MESSAGE : `[${kept.join(',')}]`;
    } catch (error) {
      throw callEnd.aborted ? error : session.breakOff(error);
    }
  }

  /** A stream that ends before the answer is opened again, if the server has named its events (MCP 2025-11-25, "Resumability"). */
  async function* eventsOf(
    body: AsyncIterable<Uint8Array>,
    resume: (lastId: string, afterMs: number) => Promise<AsyncIterable<Uint8Array>>,
    isAnswerDue: () => boolean,
    answer: Answer,
  ): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    let isAnswered = false;
    let leftMs = MAX_WAIT_MS;
    let lastId: string | undefined;
    let retryMs = RETRY_MS;
    const callEnd = session.callEnd();
    try {
      for (let part = body; ;) {
        const events = new EventStream();
        const decoder = new TextDecoder();
        for await (const chunk of part) {
          session.count(chunk);
          for (const { type, data } of events.push(decoder.decode(chunk, { stream: true }))) {
            const message = type === 'message' ? parsedMessage(data) : undefined;
            // The call ends with the response: nobody is there for what follows.
            if (message === undefined || (isAnswered && isFromServer(message))) continue;
            const text = session.passedOn(message, undefined, answer);
            if (text === undefined) continue;
            isAnswered = true;
            yield encoder.encode(`data: ${text}\n\n`);
          }
        }
        if (isAnswered || !isAnswerDue()) return;
        lastId = events.lastId ?? lastId;
        retryMs = Math.max(events.retryMs ?? retryMs, MIN_RETRY_MS);
        leftMs -= retryMs;
        if (lastId === undefined || leftMs < 0) throw new Error('The stream has no answer.');
        part = await resume(lastId, retryMs);
      }
    } catch (error) {
      // What comes after the answer is not needed.
      if (!callEnd.aborted) throw session.breakOff(error);
    }
  }

  /** The messages on the stream that is no response. Its end breaks nothing off, but messages above the limits do. */
  async function* messagesOf(body: AsyncIterable<Uint8Array>, answer: Answer): AsyncGenerator<Uint8Array> {
    const events = new EventStream();
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        session.count(chunk);
        for (const { type, data } of events.push(decoder.decode(chunk, { stream: true }))) {
          const message = type === 'message' ? parsedMessage(data) : undefined;
          const text = message === undefined ? undefined : session.passedOn(message, undefined, answer);
          if (text !== undefined) yield new TextEncoder().encode(`data: ${text}\n\n`);
        }
      }
    } catch (error) {
      if (error instanceof CallFailure) session.breakOff(error);
    }
  }

  async function listen(input: Parameters<Fetch>[0], init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(input, init);
      if (!response.ok || response.body === null || !isEventStream(response)) {
        await response.body?.cancel().catch(() => undefined);
        return new Response(null, { status: 405 });
      }
      const headers = new Headers(init.headers);
      headers.set('content-type', 'application/json');
      headers.set('accept', 'application/json, text/event-stream');
      const messages = messagesOf(response.body, answerBy(input, { ...init, method: 'POST', headers }));
      const { status, headers: received } = response;
      return new Response(ReadableStream.from(messages), { status, headers: received });
    } finally {
      onListening();
    }
  }

  /** Opens the stream of a response again, after the event with this id. Throws if the server does not. */
  async function resumed(
    input: Parameters<Fetch>[0],
    init: RequestInit | undefined,
    lastId: string,
    afterMs: number,
  ): Promise<AsyncIterable<Uint8Array>> {
    await delay(afterMs, undefined, { signal: init?.signal ?? undefined });
    const headers = new Headers(init?.headers);
    headers.delete('content-type');
    headers.set('accept', 'text/event-stream');
    headers.set('last-event-id', lastId);
    const response = await fetch(input, { ...init, method: 'GET', headers, body: null });
    if (response.ok && response.body !== null && isEventStream(response)) return response.body;
    await response.body?.cancel().catch(() => undefined);
    throw new Error(`The stream cannot be opened again: status ${response.status}.`);
  }

  /** A server that refuses an answer goes on without it. */
  function answerBy(input: Parameters<Fetch>[0], init: RequestInit | undefined): Answer {
    return async (message) => {
      const taken = await fetch(input, { ...init, body: JSON.stringify(message) });
      await taken.body?.cancel().catch(() => undefined);
    };
  }

  return async (input, given) => {
    if (given?.method === 'GET')
      return session.isOpenToServer ? await listen(input, given) : new Response(null, { status: 405 });
    const init = given?.method === 'POST' ? withinCall(given, session.callEnd()) : given;
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const answer = answerBy(input, init);
    if (response.ok && isEventStream(response)) {
      const resume: Parameters<typeof eventsOf>[1] = (lastId, afterMs) =>
        resumed(input, init, lastId, afterMs);
      const events = eventsOf(response.body, resume, () => isRequest(init?.body), answer);
      return new Response(ReadableStream.from(events), { status, statusText, headers });
    }
    return new Response(await wholeBody(response, answer), { status, statusText, headers });
  };
}

/** A server that goes on with a response after the call has its answer would hold a socket. */
function withinCall(init: RequestInit, callEnd: AbortSignal): RequestInit {
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, callEnd]) : callEnd };
}

/** Whether the SDK sent a request, which the server has to answer, or else a notification. */
function isRequest(body: RequestInit['body']): boolean {
  // The SDK writes it.
  const message = typeof body === 'string' ? (JSON.parse(body) as Json) : null;
  return isObject(message) && 'id' in message && 'method' in message;
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
