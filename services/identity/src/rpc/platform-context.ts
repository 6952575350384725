import type { HandlerContext } from '@connectrpc/connect';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';

/** The context of a request that only the platform itself may make; FORBIDDEN for a user. */
export function platformContext(h: HandlerContext): RequestContext {
  const ctx = requestContext(h);
  requirePlatform(ctx);
  return ctx;
}
