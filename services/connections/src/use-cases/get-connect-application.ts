import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { findSessionApplication } from './find-session-application.ts';
import { listSessionMethods } from './list-session-methods.ts';
import type { UsableMethod } from './list-session-methods.ts';
import { useSession } from './use-session.ts';

/** An application that the calling end user's session offers, with its usable methods; NOT_FOUND otherwise. */
export async function getConnectApplication(
  deps: DepsOf<typeof useSession | typeof findSessionApplication | typeof listSessionMethods>,
  ctx: RequestContext,
  slug: string,
): Promise<{ readonly head: ConnectorHead; readonly methods: readonly UsableMethod[] }> {
  const { session, opener } = await useSession(deps, ctx);
  const application = await findSessionApplication(deps, opener, session, slug);
  return { head: application.head, methods: await listSessionMethods(deps, opener, application) };
}
