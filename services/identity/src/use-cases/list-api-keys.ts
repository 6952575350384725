import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { ApiKeyRecord } from '../domain/records.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';

/** One page of the keys of the caller's account that are not revoked, newest first. */
export function listApiKeys(
  { apiKeys }: { readonly apiKeys: Pick<ApiKeyStore, 'list'> },
  ctx: RequestContext,
  page: Page,
): Promise<CountedPage<ApiKeyRecord>> {
  return apiKeys.list(ctx, accountOf(ctx), page);
}
