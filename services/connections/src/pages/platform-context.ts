import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';

/** The context of a page's work before the account is known. */
export function platformContext(exchange: Exchange): RequestContext {
  return exchange.contextFor({ kind: 'service', service: 'connections' });
}
