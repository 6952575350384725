// A process of its own that serves EchoService and never answers, for tests that kill it.
import { startEchoServer } from './rpc.ts';

const server = await startEchoServer(() => {
  process.send?.({ entered: true });
  return new Promise(() => {});
});
process.send?.({ httpUrl: server.httpUrl, grpcUrl: server.grpcUrl });
