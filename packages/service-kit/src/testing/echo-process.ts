// A separate process that serves EchoService and never responds, for tests that kill it.
import { startEchoServer } from './rpc.ts';

const server = await startEchoServer(() => {
  process.send?.({ entered: true });
  return new Promise(() => {});
});
process.send?.({ httpUrl: server.httpUrl, grpcUrl: server.grpcUrl });
