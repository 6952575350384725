// A separate process that calls the stub service over one of the transports, and reports its own cost.
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { createConnectTransport } from '@connectrpc/connect-node';
import { systemClock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { Pool } from 'undici';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import { TRANSPORTS } from '../requests.ts';
import type { LoopRequest, TransportName } from '../requests.ts';
import { callerKeys, requestContext } from './caller.ts';

function peerOf(transport: Exclude<TransportName, 'raw-http'>, url: string): RpcPeer {
  if (transport !== 'connect-node') return createRpcPeer({ service: 'stub', addresses: [url], transport });
  return {
    service: 'stub',
    addresses: [url],
    transport: createConnectTransport({ baseUrl: url, httpVersion: '1.1', useBinaryFormat: true }),
    close: () => Promise.resolve(),
  };
}

function callOf(transport: TransportName, url: string): () => Promise<unknown> {
  if (transport === 'raw-http') {
    const pool = new Pool(url, { pipelining: 1 });
    return async () => {
      const { body } = await pool.request({ method: 'POST', path: '/', body: 'request' });
      await body.arrayBuffer();
    };
  }
  const client = createRpcClient(ConnectionService, {
    peer: peerOf(transport, url),
    callerKeys,
    clock: systemClock,
  });
  return () => client.getConnection(requestContext(), { id: 1 });
}

const [transport, url] = process.argv.slice(2);
const known = TRANSPORTS.find((it) => it === transport);
if (known !== undefined && url !== undefined) {
  const call = callOf(known, url);
  handleWith(({ callers, durationMs }: LoopRequest) =>
    closedLoop(
      Array.from({ length: callers }, () => call),
      durationMs,
    ),
  );
  reportReady({});
}
