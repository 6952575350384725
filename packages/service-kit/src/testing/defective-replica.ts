// A replica of EchoService in a separate process, for tests of uncaught errors: `throw` and `reject` cause one; any
// other text is answered once the parent sends a message.
import { once } from 'node:events';
import { runUntilSignal } from '../lifecycle/lifecycle.ts';
import { startEchoServer } from './rpc.ts';

await runUntilSignal('echo', async () => {
  const server = await startEchoServer(
    async ({ value }) => {
      const defect = new TypeError(`${value} in a listener`);
      if (value === 'throw') {
        setImmediate(() => {
          throw defect;
        });
      } else if (value === 'reject') void Promise.reject(defect);
      else {
        process.send?.({ entered: value });
        await once(process, 'message');
      }
      return { value };
    },
    { graceMs: 30_000 },
  );
  process.send?.({ httpUrl: server.httpUrl, grpcUrl: server.grpcUrl });
  return server;
});
