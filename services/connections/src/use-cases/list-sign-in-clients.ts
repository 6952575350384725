import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { MethodKey, OwnClients } from '../ports/own-clients.ts';

/** What listSignInClients needs. */
export interface ListSignInClientsDeps {
  readonly ownClients: Pick<OwnClients, 'methods'>;
}

/** The methods for which an OAuth client is available to the calling account. */
export function listSignInClients(
  { ownClients }: ListSignInClientsDeps,
  ctx: RequestContext,
): readonly MethodKey[] {
  // Requires an account: the account's own providers will add to these.
  accountOf(ctx);
  return ownClients.methods();
}
