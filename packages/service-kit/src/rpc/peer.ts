import type { Interceptor, Transport } from '@connectrpc/connect';
import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import { createConnectFastTransport } from '@fairlead/connect-fast/transport';
import type { PeerCanaries } from '../canary/peer-canaries.ts';
import type { RpcTransport } from '../config.ts';
import { createBalancedGrpcTransport } from './grpc-transport.ts';

/** Another service, at all its addresses. Clients of all its RPC services share the connections. */
export interface RpcPeer {
  /** The service's name: callers are signed for this name only. */
  readonly service: string;
  readonly addresses: Addresses;
  readonly transport: Transport;
  /** The service's canary. Undefined: canaries are not in use, and each call goes to stable. */
  readonly canaries?: PeerCanaries | undefined;
  /** Closes the connections; calls in flight fail. */
  close(): Promise<void>;
}

// Maximum message: a tool's output may be 1 MiB and a body 5 MiB; JSON as protobuf is always less than three times as
// large.
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Opens the service of that name at `addresses`: base URLs of its HTTP/1.1 ports for `connect-fast`, of its h2c ports
 * for `grpc`. It connects on the first call. Each call goes to one of the addresses; an unreachable address is
 * avoided for a while.
 */
export function createRpcPeer(o: {
  readonly service: string;
  readonly addresses: Addresses;
  readonly transport: RpcTransport;
  readonly interceptors?: readonly Interceptor[];
  readonly canaries?: PeerCanaries | undefined;
}): RpcPeer {
  const options = {
    addresses: o.addresses,
    canary: o.canaries,
    interceptors: o.interceptors ?? [],
    readMaxBytes: MESSAGE_LIMIT_BYTES,
    writeMaxBytes: MESSAGE_LIMIT_BYTES,
  };
  const transport =
    o.transport === 'grpc' ? createBalancedGrpcTransport(options) : createConnectFastTransport(options);
  return {
    service: o.service,
    addresses: o.addresses,
    transport,
    canaries: o.canaries,
    close: () => transport.close(),
  };
}
