import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CatalogueView } from '../domain/catalogue-view.ts';

/** The catalogue that the read use cases use. */
export interface Catalogue {
  /** The caller's view: the platform's applications, and those of the caller's account. */
  view(ctx: RequestContext): Promise<CatalogueView>;
}
