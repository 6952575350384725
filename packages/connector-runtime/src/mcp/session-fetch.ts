import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { isArray, isObject } from '../templates.ts';
import { EventStream } from './event-stream.ts';
import { isEventStream, isFromServer, mediaTypeOf, parsedMessage } from './session-messages.ts';
import type { SessionMessages } from './session-messages.ts';

type Fetch = typeof globalThis.fetch;
type Answer = (message: JsonObject) => Promise<void>;

/** The SDK treats a body without a message as an error, and waits for the response that an empty list lacks. */
const NO_MESSAGE = '{}';

/** Default and minimum time before a stream is reopened; the server may state a longer one. */
const RETRY_MS = 1_000;
const MIN_RETRY_MS = 100;
/** Maximum total wait of a call before reopening its streams. The call's deadline may be earlier. */
const MAX_WAIT_MS = 300_000;

/**
 * Creates a fetch for the SDK's Streamable HTTP transport. It passes on complete messages only, if `session` allows
 * them. The standalone stream is opened only if the server may use it. `onListening` is called once the server has
 * answered that request, or at once if it is not sent.
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

  /** A stream that ends before the answer is reopened, if its events have ids (MCP 2025-11-25, "Resumability"). */
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
            // The call ends with the response; nobody reads the rest.
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
      // Everything after the answer is ignored.
      if (!callEnd.aborted) throw session.breakOff(error);
    }
  }

  /** The messages of the standalone stream. Its end has no effect; messages above the limits end the session. */
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

  /** Reopens a response stream after the event with this id. Throws if the server refuses. */
  async function resumeStream(
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

  /** If the server refuses an answer, it continues without it. */
  function answerBy(input: Parameters<Fetch>[0], init: RequestInit | undefined): Answer {
    return async (message) => {
      const taken = await fetch(input, { ...init, body: JSON.stringify(message) });
      await taken.body?.cancel().catch(() => undefined);
    };
  }

  return async (input, requestInit) => {
    if (requestInit?.method === 'GET')
      return session.isOpenToServer ? await listen(input, requestInit) : new Response(null, { status: 405 });
    const init = requestInit?.method === 'POST' ? withinCall(requestInit, session.callEnd()) : requestInit;
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const answer = answerBy(input, init);
    if (response.ok && isEventStream(response)) {
      const resume: Parameters<typeof eventsOf>[1] = (lastId, afterMs) =>
        resumeStream(input, init, lastId, afterMs);
      const events = eventsOf(response.body, resume, () => isRequest(init?.body), answer);
      return new Response(ReadableStream.from(events), { status, statusText, headers });
    }
    return new Response(await wholeBody(response, answer), { status, statusText, headers });
  };
}

/** A server that continues the response after the answer would occupy a socket. */
function withinCall(init: RequestInit, callEnd: AbortSignal): RequestInit {
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, callEnd]) : callEnd };
}

/** Whether the SDK sent a request, which needs a response, and not a notification. */
function isRequest(body: RequestInit['body']): boolean {
  // The SDK writes this text.
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
