import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectFastTransport } from '@fairlead/connect-fast/transport';
import type { RpcTransport } from '../config.ts';
import { createBalancedGrpcTransport } from './grpc-transport.ts';

/** Another service, at all of its addresses. The clients of all its RPC services share the connections. */
export interface RpcPeer {
  /** Its name, as it was started with: the callers that are signed for it count there alone. */
  readonly service: string;
  readonly transport: Transport;
  /** Ends the connections; calls in flight fail. */
  close(): Promise<void>;
}

// A tool's output may be 1 MiB and a body 5 MiB; JSON as protobuf is never three times as large.
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * The service of that name at `addresses`: base URLs of its HTTP/1.1 ports for `connect-fast`, of its h2c ports for `grpc`. Nothing is
 * connected until the first call. Each call goes to one of the addresses; one that is away is left alone for a while.
 */
export function createRpcPeer(o: {
  readonly service: string;
  readonly addresses: readonly string[];
  readonly transport: RpcTransport;
  readonly interceptors?: readonly Interceptor[];
}): RpcPeer {
  const options = {
    addresses: o.addresses,
    interceptors: o.interceptors ?? [],
    readMaxBytes: MESSAGE_LIMIT_BYTES,
    writeMaxBytes: MESSAGE_LIMIT_BYTES,
  };
  const transport =
    o.transport === 'grpc' ? createBalancedGrpcTransport(options) : createConnectFastTransport(options);
  return { service: o.service, transport, close: () => transport.close() };
}
