import { createServer, request as ask } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { DevStack } from '../../setup/dev-stack.ts';
import { allOf, environmentOf } from '../../faults/support/processes.ts';

const GATEWAY = 'services/gateway/src/main.ts';

/** An entrance to the gateways of a stack. */
export interface Entrance {
  /** Address of the given path at the entrance. */
  at(url: string): string;
  close(): Promise<void>;
}

/** Opens an entrance to the gateways of a stack; with several gateways, requests take turns. */
export async function openEntrance(stack: DevStack): Promise<Entrance> {
  const gateways = await allOf(stack, GATEWAY);
  if (gateways.length === 1) return { at: (url) => url, close: () => Promise.resolve() };
  const ports = gateways.map((id) => Number(environmentOf(id)['PORT']));
  const publicHost = new URL(stack.baseUrl).host;
  let own = '';
  let next = 0;
  const server = createServer((request, response) => {
    const port = ports[(next += 1) % ports.length];
    const { method, url: path, headers } = request;
    // Host names other than the entrance's are passed on, because the gateway must judge them.
    const host = headers.host === own ? publicHost : headers.host;
    const sent = ask({ host: '127.0.0.1', port, method, path, headers: { ...headers, host }, agent: false });
    response.once('close', () => sent.destroy());
    sent.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      pipeline(answer, response).catch(() => response.destroy());
    });
    pipeline(request, sent).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The entrance has no TCP address.');
  own = `127.0.0.1:${address.port}`;
  return {
    at: (url) => Object.assign(new URL(url), { host: own }).href,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
