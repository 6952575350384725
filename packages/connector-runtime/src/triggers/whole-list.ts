import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { HttpRequestTemplate } from '@fairlead/connector-model/model';
import type { SafePaging } from '@fairlead/connector-model/trigger-recipes';
import { CallFailure } from '../failure.ts';
import { itemTexts, textAt } from '../json-text.ts';
import { textOf } from '../http/body.ts';
import { firstPage, nextPage, nextPosition, offsetPage } from '../http/paging.ts';
import type { NextPosition, PageRequest, VendorPage } from '../http/paging.ts';
import { buildRequest, continueAt } from '../http/request.ts';
import type { RequestOwner } from '../http/request.ts';
import { mapListPage } from '../http/response.ts';
import type { Sender } from '../http/send.ts';
import type { TemplateValues } from '../templates.ts';

export interface ListRecipe {
  readonly request: HttpRequestTemplate;
  /** The paging; null: one response holds the whole list. */
  readonly paging: SafePaging | null;
  readonly itemsPointer: string;
  readonly isOmittedWhenEmpty?: boolean;
}

/** An item of a vendor's list. */
export interface ListItem {
  readonly value: Json;
  /** The vendor's JSON text, in which numbers have all digits. */
  readonly text: string;
}

/** The items of one response. Throws CallFailure for a refusal or an unexpected form. */
export function listItems(
  { connector }: Pick<RequestOwner, 'connector'>,
  { itemsPointer, isOmittedWhenEmpty = false }: Pick<ListRecipe, 'itemsPointer' | 'isOmittedWhenEmpty'>,
  response: Parameters<typeof mapListPage>[2],
): readonly ListItem[] {
  const mapping = { itemsPointer, totalPointer: null, isOmittedWhenEmpty };
  const { items } = mapListPage(connector, mapping, response);
  const texts = itemTexts(textAt(textOf(response), itemsPointer) ?? '[]');
  return texts.map((text, index) => ({ text, value: items[index] ?? null }));
}

/** Thrown if items have moved between two pages, so an item may have been skipped. */
class MovedItemsError extends Error {
  override readonly name = 'MovedItemsError';
}

const MAX_READS = 3;
const MAX_OFFSET_PAGES = 100;

/**
 * Reads a list page by page and passes each item to `visit`, with a flag for items that an earlier page had. Stops
 * when `visit` returns false; returns whether the end of the list was reached. If the vendor pages by offset, each
 * page starts with the last item of the previous one. If that item has moved, because another was deleted, `restart`
 * is called and the list is read again, at most three times. `idOf` returns an item's id. Throws CallFailure and
 * EgressError.
 */
export async function readWholeList(
  owner: RequestOwner,
  recipe: ListRecipe,
  o: {
    readonly values: Omit<TemplateValues, 'field' | 'page'>;
    readonly sender: Sender;
    readonly idOf: (item: ListItem) => string;
    readonly restart: () => void;
    readonly visit: (item: ListItem) => boolean;
  },
): Promise<boolean> {
  for (let read = 1; ; read += 1) {
    try {
      return await readOnce(owner, recipe, o);
    } catch (error) {
      if (!(error instanceof MovedItemsError)) throw error;
      if (read === MAX_READS) {
        throw new CallFailure(`The list of ${owner.connector.name} changes faster than it can be read.`);
      }
      o.restart();
    }
  }
}

async function readOnce(
  owner: RequestOwner,
  recipe: ListRecipe,
  o: Parameters<typeof readWholeList>[2],
): Promise<boolean> {
  const seen = new Set<string>();
  let isFirst = true;
  for await (const items of pages(owner, recipe, o)) {
    const [first] = items;
    if (!isFirst && recipe.paging?.type === 'offset' && (first === undefined || !seen.has(o.idOf(first)))) {
      throw new MovedItemsError();
    }
    isFirst = false;
    for (const item of items) {
      const id = o.idOf(item);
      if (seen.has(id)) continue;
      seen.add(id);
      if (!o.visit(item)) return false;
    }
  }
  return true;
}

async function* pages(
  owner: RequestOwner,
  recipe: ListRecipe,
  { values, sender }: Pick<Parameters<typeof readWholeList>[2], 'values' | 'sender'>,
): AsyncGenerator<readonly ListItem[]> {
  const { paging } = recipe;
  const fetchPage = async (
    page: PageRequest,
  ): Promise<VendorPage & { readonly listed: readonly ListItem[] }> => {
    const all = { ...values, page: page.values };
    const built = buildRequest(owner, recipe.request, all, page.query);
    const request = page.url === undefined ? built : continueAt(owner, recipe.request, built, page.url);
    const response = await sender.send(request);
    const listed = listItems(owner, recipe, response);
    const items = listed.map(({ value }) => value);
    const position = paging === null ? NO_POSITION : nextPosition(paging, items, response, request.url);
    return { listed, items, totalCount: undefined, ...position };
  };
  if (paging === null) {
    yield (await fetchPage({ query: [], values: NO_PAGE })).listed;
    return;
  }
  if (paging.type === 'offset') {
    const size = paging.maxTop;
    for (let offset = 0, count = 0; count < MAX_OFFSET_PAGES; count += 1) {
      const { listed } = await fetchPage(offsetPage(paging, size, offset));
      yield listed;
      if (listed.length < size) return;
      offset += listed.length - 1;
    }
  } else {
    let request: PageRequest | undefined = firstPage(paging, { top: paging.pageSize, offset: 0 });
    for (let count = 0; count < paging.maxPages; count += 1) {
      const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(request);
      yield page.listed;
      request = nextPage(paging, request, page);
      if (request === undefined) return;
    }
  }
  throw new CallFailure(`The list of ${owner.connector.name} has more pages than one call reads.`);
}

const NO_PAGE: JsonObject = {};
const NO_POSITION: NextPosition = { nextCursor: undefined, nextUrl: undefined, hasMore: undefined };
