import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { StreamHub } from '../stream-hub.ts';

/** The client's end of a stream. */
export interface StreamClient {
  readonly headers: Headers;
  /** All received text. */
  readonly text: () => string;
  /** The JSON texts of all completely received messages. */
  readonly messages: () => readonly string[];
  readonly ended: Promise<void>;
  readonly hasEnded: () => boolean;
  readonly leave: () => void;
}

type OpenStream = Parameters<StreamHub['open']>[0];

/** A server with real connections, on which hubs open streams; closed after the test. */
export async function startStreamServer() {
  const serve: ((response: ServerResponse) => void)[] = [];
  const server = createServer(({ url = '' }, response) => serve[Number(url.slice(1))]?.(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;

  /** Sends a request whose response the hub writes; rejects if the hub refuses. */
  const connect = async (
    hub: StreamHub,
    o: Omit<OpenStream, 'response'>,
    { reads = true } = {},
  ): Promise<StreamClient> => {
    const opened = Promise.withResolvers<void>();
    const left = new AbortController();
    const path = serve.push((response) => {
      hub.open({ ...o, response }).then(opened.resolve, (error: unknown) => {
        response.destroy();
        opened.reject(error);
      });
    });
    const request = fetch(`http://127.0.0.1:${port}/${path - 1}`, { signal: left.signal });
    request.catch(() => undefined);
    await opened.promise;
    const response = await request;
    const pieces: Buffer[] = [];
    const read = async (): Promise<void> => {
      // The chunk type of a web stream is any; chunks of a body are bytes.
      for await (const chunk of response.body ?? []) pieces.push(Buffer.from(chunk as Uint8Array));
    };
    const ended = reads ? read().catch(() => undefined) : Promise.resolve();
    let hasEnded = false;
    void ended.then(() => (hasEnded = reads));
    const text = (): string => Buffer.concat(pieces).toString();
    return {
      headers: response.headers,
      text,
      messages: () =>
        [...text().matchAll(/event: message\n(?:id: .*\n)?data: (.*)\n\n/g)].map(([, data = '']) => data),
      ended,
      hasEnded: () => hasEnded,
      leave: () => left.abort(),
    };
  };
  return { connect };
}
