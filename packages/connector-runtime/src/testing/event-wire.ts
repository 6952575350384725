import type { IncomingMessage, ServerResponse } from 'node:http';

/** The stream to which a test server writes an answer: the response to a message, or the stream of its session. */
export interface AnswerStream {
  writeHead(status: number, headers?: Readonly<Record<string, string>>): AnswerStream;
  write(text: string | Uint8Array, done?: () => void): boolean;
  end(text?: string | Uint8Array): unknown;
  destroy(): unknown;
  readonly destroyed: boolean;
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

/**
 * The server's end of the HTTP+SSE wire (MCP 2024-11-05), without its answers: a GET opens a stream, the address that its
 * first event names takes messages. Returns where to answer a message; undefined for a request that it answers itself.
 */
export function openEventWire(): (
  request: IncomingMessage,
  response: ServerResponse,
) => AnswerStream | undefined {
  const streams = new Map<string, ServerResponse>();
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'GET') {
      const session = String(streams.size);
      streams.set(session, response);
      response.on('error', () => undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${pathname}?session=${session}\n\n`);
      return undefined;
    }
    const stream = streams.get(searchParams.get('session') ?? '');
    if (request.method === 'POST' && stream !== undefined) return answerOn(stream, response);
    response.writeHead(405).end();
    return undefined;
  };
}

/** Accepts the message and writes to the stream: a body of JSON as an event, anything else as it is. */
function answerOn(stream: ServerResponse, response: ServerResponse): AnswerStream {
  let isJson = false;
  let headers: Readonly<Record<string, string>> = {};
  return {
    writeHead(status, given = {}) {
      headers = given;
      isJson = headers['content-type'] === 'application/json';
      if (status === 200) response.writeHead(202).end();
      else response.writeHead(status, headers);
      return this;
    },
    write: (text, done) => stream.write(text, done),
    end(text) {
      if (!response.writableEnded) response.end();
      else if (text !== undefined) stream.write(isJson ? `event: message\ndata: ${String(text)}\n\n` : text);
    },
    destroy: () => stream.destroy(),
    get destroyed() {
      return stream.destroyed;
    },
    on: (event, listener) => stream.on(event, listener),
  };
}
