import type { IncomingMessage } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { callerOf } from '@fairlead/service-kit/http/passed-on';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createServiceProxy } from '@fairlead/service-proxy/service-proxy';
import type { ServiceProxy } from '@fairlead/service-proxy/service-proxy';
import type { Request, Response } from 'express';
import { addressIn } from '../domain/replica-name.ts';

/**
 * Forwards a request unchanged to another replica of this service, and its response back. `caller`: the caller of the forwarded request, if
 * not the gateway.
 */
export type ToReplica = (
  name: string,
  exchange: Exchange,
  request: Request,
  response: Response,
  caller?: Caller,
) => Promise<void>;

/** Header of a forwarded request: it must not be forwarded again. */
const PASSED_ON_HEADER = 'fairlead-passed-on';

/** Whether another replica forwarded the request. */
export function isPassedOn({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers[PASSED_ON_HEADER] !== undefined;
}

/** Longest duration of one request: uploading an archive of logs takes minutes. */
const REQUEST_MS = 600_000;
/** Longest time until the other replica responds after it has received the request. */
const RESPONSE_MS = 35_000;
/** Maximum number of cached clients; replicas' addresses change with every start. */
const MAX_REPLICAS = 100;

/** Creates the function. It throws UNAVAILABLE if the replica does not answer, or if the request was already forwarded. */
export function createToReplica(o: { readonly callerKeys: KeyRing; readonly clock: Clock }): ToReplica {
  const proxies = new Map<string, ServiceProxy>();
  const forgetAll = (): void => {
    for (const proxy of proxies.values()) void proxy.close();
    proxies.clear();
  };
  return async (name, exchange, request, response, caller) => {
    if (isPassedOn(request))
      throw new ApiError('UNAVAILABLE', 'The replica that waits for the agent cannot be reached.');
    request.headers[PASSED_ON_HEADER] = '1';
    const replicaUrl = addressIn(name);
    const proxy =
      proxies.get(replicaUrl) ??
      createServiceProxy({
        ...o,
        service: 'agents',
        // The gateway stays the request's caller.
        caller: 'gateway',
        addresses: [replicaUrl],
        addressOf,
        timeoutMs: REQUEST_MS,
        responseTimeoutMs: RESPONSE_MS,
      });
    if (proxies.size >= MAX_REPLICAS) forgetAll();
    proxies.set(replicaUrl, proxy);
    const rest = await proxy.begin(exchange, request, response, caller).catch((error: unknown) => {
      // The request may be forwarded to another replica instead.
      delete request.headers[PASSED_ON_HEADER];
      throw error;
    });
    await rest();
  };
}

/** The network address of the agent; a constant for users' requests, which have none. */
function addressOf(request: IncomingMessage): string {
  const caller = callerOf(request);
  return (caller.kind === 'service' ? caller.clientAddress : undefined) ?? 'unknown';
}
