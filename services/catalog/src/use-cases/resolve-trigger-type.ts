import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedTriggerType } from '../domain/application.ts';
import { unknownTriggerType } from '../domain/unknown-slug.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** The trigger type with that slug, if the caller sees it; otherwise NOT_FOUND. */
export async function resolveTriggerType(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  slug: string,
): Promise<CataloguedTriggerType> {
  const view = await deps.catalogue.view(ctx);
  const found = view.findTriggerType(slug);
  if (found !== undefined) return found;
  throw unknownTriggerType(view, slug);
}
