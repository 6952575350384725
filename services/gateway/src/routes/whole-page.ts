import type { PageAnswer } from '@fairlead/rest-kit/route';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';

/** One page of a list whose service answers in parts; all parts but the first are requested while the response is sent. */
export async function wholePage<M, R>(
  { ctx, page }: { readonly ctx: RequestContext; readonly page: Page },
  list: (ctx: RequestContext, page: Page) => Promise<ListPart<M>>,
  present: (item: M) => R,
): Promise<PageAnswer<R>> {
  const { items, totalCount, next } = await list(ctx, page);
  const first = { items: items.map(present), totalCount };
  if (next === undefined) return first;
  const top = page.top - items.length;
  // No deadline applies after the start of the response.
  const more = restOf((rest) => list({ ...ctx, deadline: undefined }, rest), present, { next, top });
  return { ...first, more };
}

async function* restOf<M, R>(
  list: (page: Page) => Promise<ListPart<M>>,
  present: (item: M) => R,
  rest: { readonly next: string; readonly top: number },
): AsyncGenerator<readonly R[]> {
  let after: string | undefined = rest.next;
  for (let { top } = rest; after !== undefined;) {
    const { items, next }: ListPart<M> = await list({ offset: 0, top, after });
    yield items.map(present);
    top -= items.length;
    after = next;
  }
}
