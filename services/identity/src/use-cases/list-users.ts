import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { User } from '../domain/records.ts';
import type { Listed } from '../ports/account-store.ts';
import type { UserStore } from '../ports/user-store.ts';

/** What listUsers needs. */
export interface ListUsersDeps {
  readonly users: Pick<UserStore, 'list'>;
}

/** One page of the users of the caller's account, newest first, including inactive ones. */
export function listUsers({ users }: ListUsersDeps, ctx: RequestContext, page: Page): Promise<Listed<User>> {
  return users.list(ctx, accountOf(ctx), page);
}
