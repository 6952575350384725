import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { findOfferedApplication } from './find-offered-application.ts';
import { listOfferedMethods } from './list-offered-methods.ts';
import type { UsableMethod } from './list-offered-methods.ts';
import { useSession } from './use-session.ts';

/** An application that the calling end user's session offers, with its usable methods; NOT_FOUND otherwise. */
export async function getConnectApplication(
  deps: DepsOf<typeof useSession | typeof findOfferedApplication | typeof listOfferedMethods>,
  ctx: RequestContext,
  slug: string,
): Promise<{ readonly head: ConnectorHead; readonly methods: readonly UsableMethod[] }> {
  const { session, opener } = await useSession(deps, ctx);
  const application = await findOfferedApplication(deps, opener, session, slug);
  return { head: application.head, methods: await listOfferedMethods(deps, opener, application) };
}
