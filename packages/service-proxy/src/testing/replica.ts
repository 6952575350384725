// A replica in a separate process that stops like a service, for tests of rolling restarts. It reports each body.
import { setTimeout as delay } from 'node:timers/promises';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { startEchoServer } from '@fairlead/service-kit/testing/rpc';

await runUntilSignal('echo', async () => {
  const server = await startEchoServer(() => ({}), {
    graceMs: 10_000,
    host: process.env['HOST'] ?? '127.0.0.1',
    port: Number(process.env['PORT'] ?? 0),
    http: {
      pages: [],
      pageTimeoutMs: 10_000,
      mounts: [
        {
          prefix: '/oauth',
          timeoutMs: 10_000,
          maxBodyBytes: 1_000_000,
          async handle(exchange, _request, response) {
            const body = (await exchange.readBody())?.toString() ?? '';
            process.send?.({ body: body.trimEnd() });
            // The duration of a database call.
            await delay(2);
            sendJson(response, 200, { body: body.trimEnd(), pid: process.pid });
          },
        },
      ],
    },
  });
  process.send?.({ httpUrl: server.httpUrl });
  return server;
});
