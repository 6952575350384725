import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';

/** The context of what a page does before it is known whose it is. */
export function platformContext(exchange: Exchange): RequestContext {
  return exchange.contextFor({ kind: 'service', service: 'connections' });
}
