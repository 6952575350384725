import type { Caller } from '@fairlead/service-kit/context/caller';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { Request, Response } from 'express';
import type { BytesSource, Upload } from './route.ts';

/** Passes bytes to and from another service; the gateway keeps none of them. */
export interface ByteRelay {
  /** Streams the body to the service. Rejects with the service's error if it refuses. */
  upload(exchange: Exchange, ctx: RequestContext, request: Request): Promise<Upload>;
  /** Resolves once the service's response has begun, to the function that sends the rest. */
  download(
    exchange: Exchange,
    request: Request,
    response: Response,
    o: { readonly from: BytesSource; readonly caller: Caller },
  ): Promise<() => Promise<void>>;
}
