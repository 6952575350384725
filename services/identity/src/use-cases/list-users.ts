import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { User } from '../domain/records.ts';
import type { UserStore } from '../ports/user-store.ts';

/** One page of the users of the caller's account, newest first, including inactive ones. */
export function listUsers(
  { users }: { readonly users: Pick<UserStore, 'list'> },
  ctx: RequestContext,
  page: Page,
): Promise<CountedPage<User>> {
  return users.list(ctx, accountOf(ctx), page);
}
