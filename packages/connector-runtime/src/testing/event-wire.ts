import type { IncomingMessage, ServerResponse } from 'node:http';

/** A stream on which a test server sends an answer: the response to a message, or the session's stream. */
export interface AnswerStream {
  writeHead(status: number, headers?: Readonly<Record<string, string>>): AnswerStream;
  write(text: string | Uint8Array, done?: () => void): boolean;
  end(text?: string | Uint8Array): unknown;
  destroy(): unknown;
  readonly destroyed: boolean;
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

/**
 * The server's end of the HTTP+SSE transport (MCP 2024-11-05). A GET opens a stream, whose first event names the URL
 * for messages. Returns the stream for the answer; undefined for a request that it answers itself.
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

/** Accepts the message, and writes the answer to the stream: JSON as an event, anything else unchanged. */
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
