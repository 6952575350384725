import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A vendor that records the calls that reach it; tests trust these records. */
export interface RecordingVendor {
  readonly url: string;
  /** Method and path of each call, in order of arrival: `POST /send/1`. */
  readonly calls: readonly string[];
  /** Holds back answers to this method and path; resolves once the first such call has arrived. */
  hold(call: string): Promise<void>;
  /** Answers all held calls, and holds back no more. */
  release(): void;
  close(): void;
}

/** Starts a vendor on loopback that answers every call with 200. */
export async function startVendor(): Promise<RecordingVendor> {
  const calls: string[] = [];
  const arrivals = new Map<string, () => void>();
  const held: ServerResponse[] = [];
  const answer = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  };
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`;
    calls.push(call);
    request.resume();
    const arrived = arrivals.get(call);
    if (arrived === undefined) return answer(response);
    held.push(response);
    arrived();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    // A server that listens on TCP has an address of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    hold: (call) =>
      new Promise<void>((resolve) => {
        arrivals.set(call, resolve);
      }),
    release() {
      arrivals.clear();
      for (const response of held.splice(0)) answer(response);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
