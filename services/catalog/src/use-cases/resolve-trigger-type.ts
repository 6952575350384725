import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedTriggerType } from '../domain/application.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** What resolveTriggerType needs. */
export interface ResolveTriggerTypeDeps {
  readonly catalogue: Catalogue;
}

/** The trigger type with that slug, if the caller sees it; otherwise NOT_FOUND. */
export async function resolveTriggerType(
  deps: ResolveTriggerTypeDeps,
  ctx: RequestContext,
  slug: string,
): Promise<CataloguedTriggerType> {
  const found = (await deps.catalogue.view(ctx)).findTriggerType(slug);
  if (found === undefined) throw notFound('trigger type');
  return found;
}
