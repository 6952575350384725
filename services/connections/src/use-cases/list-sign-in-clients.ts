import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { MethodKey, OwnClients } from '../ports/own-clients.ts';

/** What listSignInClients needs. */
export interface ListSignInClientsDeps {
  readonly ownClients: Pick<OwnClients, 'methods'>;
}

/** The methods for which the calling account has an OAuth client at hand. */
export function listSignInClients(
  { ownClients }: ListSignInClientsDeps,
  ctx: RequestContext,
): readonly MethodKey[] {
  // An account's own providers will add to these; without an account there is no answer.
  accountOf(ctx);
  return ownClients.methods();
}
