import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CatalogueView } from '../domain/catalogue-view.ts';

/** The catalogue, for the use cases that read it. */
export interface Catalogue {
  /** The caller's view: the platform's applications, and those of the caller's account. */
  view(ctx: RequestContext): Promise<CatalogueView>;
}
