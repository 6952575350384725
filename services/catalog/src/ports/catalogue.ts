import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CatalogueView } from '../domain/catalogue-view.ts';

/** The catalogue that the reading use cases look into. */
export interface Catalogue {
  /** What the caller sees: the platform's applications, and those of the caller's account. */
  view(ctx: RequestContext): Promise<CatalogueView>;
}
