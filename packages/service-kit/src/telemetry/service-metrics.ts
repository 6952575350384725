import type { DescMethod } from '@bufbuild/protobuf';
import type { Track } from '@fairlead/connect-fast/endpoint';
import { createRegistry } from './metrics.ts';
import type { Registry } from './metrics.ts';

/**
 * The metrics of this process. One registry per process, because a process is one service; code that measures imports its
 * instrument, so that no composition root has to pass it through.
 */
export const registry: Registry = createRegistry();

const httpRequests = registry.histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Requests to the public API, from the headers to the end of the answer.',
  labels: ['method', 'route', 'status'],
});

const rpcServer = registry.histogram({
  name: 'rpc_server_duration_seconds',
  help: 'RPCs that this service answered; code is OK or the error code.',
  labels: ['service', 'method', 'code'],
});

const rpcClient = registry.histogram({
  name: 'rpc_client_duration_seconds',
  help: 'RPCs that this service made, connecting included; code is OK or the error code.',
  labels: ['service', 'method', 'code', 'track'],
});

const rpcEndpoints = registry.gauge({
  name: 'rpc_endpoints',
  help: 'Addresses of a service that this service knows; 0 while a look-up has found none.',
  labels: ['peer'],
});

const egressCalls = registry.histogram({
  name: 'egress_call_duration_seconds',
  help: 'Calls to applications; outcome is the status class or why there was no answer.',
  labels: ['kind', 'outcome'],
});

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const NO_ROUTE = '(none)';
const OTHER_METHOD = '(other)';

/** Counts a request to the public API under the template of its route, never its path. */
export function recordHttpRequest(
  method: string,
  route: string | undefined,
  status: number,
  durationMs: number,
): void {
  httpRequests
    .series(METHODS.has(method) ? method : OTHER_METHOD, route ?? NO_ROUTE, String(status))
    .observe(durationMs / 1000);
}

/** Counts an answered RPC. */
export function recordRpcServed(method: DescMethod, code: string, durationMs: number): void {
  rpcServer.series(method.parent.typeName, method.name, code).observe(durationMs / 1000);
}

/** Records the number of a service's known addresses. */
export function recordEndpoints(peer: string, count: number): void {
  rpcEndpoints.series(peer).set(count);
}

/** Counts a made RPC, by its track. */
export function recordRpcMade(method: DescMethod, code: string, track: Track, durationMs: number): void {
  rpcClient.series(method.parent.typeName, method.name, code, track).observe(durationMs / 1000);
}

/** The counted facts about a call to an application. */
export interface EgressRecord {
  readonly kind: 'http' | 'socket';
  readonly outcome: string;
  readonly durationMs: number;
}

let forward: ((record: EgressRecord) => void) | undefined;

/** For a process without a metrics page: passes records of calls to applications to `to` instead of counting them. */
export function forwardEgressRecords(to: (record: EgressRecord) => void): void {
  forward = to;
}

/** Counts a call to an application: an HTTP exchange, or the opening of a socket. */
export function recordEgress(kind: 'http' | 'socket', outcome: string, durationMs: number): void {
  if (forward !== undefined) forward({ kind, outcome, durationMs });
  else egressCalls.series(kind, outcome).observe(durationMs / 1000);
}
