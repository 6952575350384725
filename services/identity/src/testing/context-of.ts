import type { Role } from '@fairlead/access/permissions';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';

/** The context of a call by that user, with that role. */
export function contextOf(
  { accountId, userId }: { readonly accountId: string; readonly userId: string },
  role: Role = 'owner',
): RequestContext {
  return testContext({ caller: { kind: 'user', accountId, userId, roles: [role], permissions: [] } });
}
