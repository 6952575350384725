// A replica of EchoService in a separate process that stops like a service, for tests of rolling restarts.
import { setTimeout as delay } from 'node:timers/promises';
import { runUntilSignal } from '../lifecycle/lifecycle.ts';
import { startEchoServer } from './rpc.ts';

await runUntilSignal('echo', async () => {
  const server = await startEchoServer(
    async ({ value }) => {
      // The duration of a database call.
      await delay(2);
      return { value: `${value} from ${String(process.pid)}` };
    },
    {
      graceMs: 10_000,
      host: process.env['HOST'] ?? '127.0.0.1',
      port: Number(process.env['PORT'] ?? 0),
      grpcPort: Number(process.env['GRPC_PORT'] ?? 0),
    },
  );
  process.send?.({ httpUrl: server.httpUrl, grpcUrl: server.grpcUrl });
  return server;
});
