import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isAvailable } from '../domain/application.ts';
import type { ApplicationView, SignInClient } from '../domain/application.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** What getApplication needs. */
export interface GetApplicationDeps {
  readonly catalogue: Catalogue;
}

/** One application that the caller sees, or NOT_FOUND. */
export async function getApplication(
  deps: GetApplicationDeps,
  ctx: RequestContext,
  slug: string,
  signInClients: readonly SignInClient[],
): Promise<ApplicationView> {
  const application = (await deps.catalogue.view(ctx)).findApplication(slug);
  if (application === undefined) throw notFound('application');
  return { application, isAvailable: isAvailable(application.connector, signInClients), score: undefined };
}
