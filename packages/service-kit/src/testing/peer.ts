import { peerConfigShape } from '../config.ts';
import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import { createRpcPeer } from '../rpc/peer.ts';
import type { RpcPeer } from '../rpc/peer.ts';
import type { RpcServer } from '../rpc/server.ts';

/** The transport under test: RPC_TRANSPORT of the environment. */
export const testTransport = peerConfigShape.RPC_TRANSPORT.parse(process.env['RPC_TRANSPORT']);

/** The address of a server for that transport, in the form of another service's `*_URL`. */
export function addressFor(server: Pick<RpcServer, 'httpUrl' | 'grpcUrl'>): string {
  return testTransport === 'grpc' ? server.grpcUrl : server.httpUrl;
}

/**
 * A peer with that transport at running servers of a service. Close it before the servers, which otherwise wait for
 * its idle connections.
 */
export function testPeer(
  service: string,
  ...servers: readonly Pick<RpcServer, 'httpUrl' | 'grpcUrl'>[]
): RpcPeer {
  return createRpcPeer({ service, addresses: servers.map(addressFor), transport: testTransport });
}

/** A peer with that transport at addresses that may change. */
export function testPeerAt(service: string, addresses: Addresses): RpcPeer {
  return createRpcPeer({ service, addresses, transport: testTransport });
}
