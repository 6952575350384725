import type { IncomingMessage } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '../clock.ts';
import { createRequestProperty } from '../collections/request-property.ts';
import type { Caller } from '../context/caller.ts';
import { CALLER_HEADER } from '../context/caller-token.ts';
import type { CallerTokenScope } from '../context/caller-token.ts';
import { createCallerVerifier } from '../context/caller-tokens.ts';
import type { HttpAppOptions } from './app.ts';
import { reportFacts } from './exchange-facts.ts';

/** The service to which clients connect. */
const EDGE = 'gateway';

const callers = createRequestProperty<IncomingMessage, Caller>('caller');

/**
 * Admits only client requests that the gateway passed on to the service `audience`. Each must carry a caller context
 * of the gateway with the client's address or, with `admitsUsers`, of a user; otherwise UNAUTHORIZED. The caller
 * context is removed from the headers, and the response contains facts for the gateway's log.
 */
export function admitForwardedRequests({
  clock,
  admitsUsers,
  ...scope
}: CallerTokenScope & { readonly clock: Clock; readonly admitsUsers: boolean }): NonNullable<
  HttpAppOptions['admit']
> {
  const verify = createCallerVerifier(scope);
  return (exchange, request, response) => {
    const token = request.headers[CALLER_HEADER];
    const { caller, canaries } = verify(typeof token === 'string' ? token : '', clock.now());
    const isClient =
      caller.kind === 'service' && caller.service === EDGE && caller.clientAddress !== undefined;
    if (!isClient && !(admitsUsers && caller.kind === 'user'))
      throw new ApiError('UNAUTHORIZED', 'Only requests that the gateway passes on are served here.');
    delete request.headers[CALLER_HEADER];
    exchange.canaries = canaries;
    callers.set(request, caller);
    reportFacts(exchange, response);
  };
}

/** The caller of a request that the gateway passed on. Throws for other requests. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('The gateway has not passed this request on.');
  return caller;
}

/** The client's network address in a request that the gateway passed on. Throws for other requests. */
export function clientAddressOf(request: IncomingMessage): string {
  const caller = callerOf(request);
  if (caller.kind !== 'service' || caller.clientAddress === undefined)
    throw new Error('The gateway has not passed this request on for a client.');
  return caller.clientAddress;
}
