import type { Clock } from '@fairlead/service-kit/clock';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createServiceProxy } from '@fairlead/service-proxy/service-proxy';
import type { ServiceProxy } from '@fairlead/service-proxy/service-proxy';
import type { Request, Response } from 'express';

/** Passes a request on to another replica of this service, and its response back, both as they come. */
export type ToReplica = (
  replicaUrl: string,
  exchange: Exchange,
  request: Request,
  response: Response,
) => Promise<void>;

/** Longest time of one request: an archive of logs takes minutes. */
const REQUEST_MS = 600_000;
/** Longest time until the other replica answers once it has the request. */
const RESPONSE_MS = 35_000;
/** Replicas whose addresses are kept; addresses change with every start. */
const MAX_REPLICAS = 100;

/** Creates the function. UNAVAILABLE if the replica does not answer. */
export function createToReplica(o: { readonly callerKeys: KeyRing; readonly clock: Clock }): ToReplica {
  const proxies = new Map<string, ServiceProxy>();
  return async (replicaUrl, exchange, request, response) => {
    const proxy =
      proxies.get(replicaUrl) ??
      createServiceProxy({
        ...o,
        service: 'agents',
        // The request remains the one that the gateway has passed on.
        caller: 'gateway',
        addresses: [replicaUrl],
        addressOf: (passedOn) => clientAddressOf(passedOn),
        timeoutMs: REQUEST_MS,
        responseTimeoutMs: RESPONSE_MS,
      });
    if (proxies.size >= MAX_REPLICAS) proxies.clear();
    proxies.set(replicaUrl, proxy);
    const rest = await proxy.begin(exchange, request, response);
    await rest();
  };
}
