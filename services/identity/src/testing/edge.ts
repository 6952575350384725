import { createServer, request as sendRequest } from 'node:http';
import type { Clock } from '@fairlead/service-kit/clock';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import type { KeyRing } from '@fairlead/service-kit/key-ring';

/** A proxy in front of an instance of the service; it forwards requests as the gateway does. */
export interface TestEdge {
  readonly url: string;
  /** Forwards requests to that address from now on, with callers signed by those keys. */
  passTo(target: { readonly httpUrl: string }, callerKeys: KeyRing): void;
  close(): Promise<void>;
}

/**
 * Starts an edge on a free port. Its target is set later, because a service has to know its public address before it starts. A client's
 * address is the value of the `x-test-address` header, or 203.0.113.1.
 */
export async function startForwardingEdge(clock: Clock): Promise<TestEdge> {
  let target: { readonly httpUrl: string; readonly callerKeys: KeyRing } | undefined;
  // The server closes no idle connection: a client in the same busy process would reuse it before it notices.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (target === undefined) throw new Error('The edge has no target yet.');
    const clientAddress = String(request.headers['x-test-address'] ?? '203.0.113.1');
    const caller = { kind: 'service', service: 'gateway', clientAddress } as const;
    const token = signCaller(caller, { audience: 'identity', keys: target.callerKeys }, clock.now());
    const passed = sendRequest(
      new URL(request.url ?? '/', target.httpUrl),
      { method: request.method, headers: { ...request.headers, [CALLER_HEADER]: token } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The edge has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    passTo({ httpUrl }, callerKeys) {
      target = { httpUrl, callerKeys };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
