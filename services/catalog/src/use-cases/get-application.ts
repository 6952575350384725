import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isAvailable } from '../domain/application.ts';
import type { ApplicationView, SignInClient } from '../domain/application.ts';
import { unknownApplication } from '../domain/unknown-slug.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** An application that the caller sees, or NOT_FOUND; with `isOwn`, only one of the caller's account. */
export async function getApplication(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  slug: string,
  signInClients: readonly SignInClient[],
  isOwn = false,
): Promise<ApplicationView> {
  const view = await deps.catalogue.view(ctx);
  const application = view.findApplication(slug);
  if (application === undefined || (isOwn && application.owner !== 'account'))
    throw unknownApplication(view, slug);
  return { application, isAvailable: isAvailable(application.connector, signInClients), score: undefined };
}
