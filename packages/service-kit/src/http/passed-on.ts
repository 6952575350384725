import type { IncomingMessage } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '../clock.ts';
import { CALLER_HEADER } from '../context/caller-token.ts';
import type { CallerTokenScope } from '../context/caller-token.ts';
import { createCallerVerifier } from '../context/caller-tokens.ts';
import type { HttpAppOptions } from './app.ts';
import { reportFacts } from './exchange-facts.ts';

/** The service that clients connect to. */
const EDGE = 'gateway';

const addresses = new WeakMap<IncomingMessage, string>();

/**
 * Admits requests of clients that the gateway passed on to the service `audience`, and no others: each must carry a
 * caller context of the gateway with the client's address, else UNAUTHORIZED. The caller context is removed from the
 * headers, and the response tells the gateway what to log.
 */
export function admitPassedOn({
  clock,
  ...scope
}: CallerTokenScope & { readonly clock: Clock }): NonNullable<HttpAppOptions['admit']> {
  const verify = createCallerVerifier(scope);
  return (exchange, request, response) => {
    const token = request.headers[CALLER_HEADER];
    const caller = verify(typeof token === 'string' ? token : '', clock.now());
    if (caller.kind !== 'service' || caller.service !== EDGE || caller.clientAddress === undefined)
      throw new ApiError('UNAUTHORIZED', 'Only requests that the gateway passes on are served here.');
    delete request.headers[CALLER_HEADER];
    addresses.set(request, caller.clientAddress);
    reportFacts(exchange, response);
  };
}

/** Network address of the client whose request the gateway passed on. Throws for any other request. */
export function clientAddressOf(request: IncomingMessage): string {
  const address = addresses.get(request);
  if (address === undefined) throw new Error('The gateway has not passed this request on.');
  return address;
}
