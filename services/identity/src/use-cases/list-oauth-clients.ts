import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { OAuthClient } from '../domain/oauth-client.ts';
import type { AccountClientStore } from '../ports/client-store.ts';

/** One page of the OAuth clients of the caller's account, newest first. */
export function listOAuthClients(
  { clients }: { readonly clients: Pick<AccountClientStore, 'list'> },
  ctx: RequestContext,
  page: Page,
): Promise<CountedPage<OAuthClient>> {
  return clients.list(ctx, accountOf(ctx), page);
}
