import type { HttpRequestTemplate, Paging, TriggerTypeDefinition } from './model.ts';

/**
 * The pagings by which a list is read to its end while it changes. Page numbers are not among them: an item that goes
 * meanwhile moves the others, and one would be skipped unnoticed.
 */
export type SafePaging = Extract<Paging, { readonly type: 'offset' | 'cursor' | 'link' }>;

/** How an application is asked what is new. Pointers are JSON pointers; those of an item start at the item. */
export interface PollRecipe {
  /**
   * Lists the items that are not older than `{{cursor.since}}` (a time as ISO 8601 in UTC, with milliseconds), the oldest
   * first. Before the first item `cursor.since` is undefined, and the whole list is wanted.
   */
  readonly request: HttpRequestTemplate;
  readonly paging: SafePaging;
  readonly itemsPointer: string;
  readonly idPointer: string;
  /** The time, ISO 8601, by which the list is ordered. An item fires once for each of its times. */
  readonly timePointer: string;
  /** Its first item is the newest one. It tells where a new trigger starts. */
  readonly newest: HttpRequestTemplate;
  /** How late after its time an item may appear in the list. */
  readonly overlapSeconds: number;
}

/** How an application is told where to call, and how its calls are proved and read. */
export interface WebhookRecipe {
  /** Registers `{{webhook.url}}`, whose calls are to be signed with `{{webhook.secret}}`. */
  readonly register: { readonly request: HttpRequestTemplate; readonly idPointer: string };
  /** Lists what is registered, so that a registration is found whose answer was lost. */
  readonly list: {
    readonly request: HttpRequestTemplate;
    readonly paging: SafePaging | null;
    readonly itemsPointer: string;
    readonly idPointer: string;
    readonly urlPointer: string;
  };
  /** Ends the registration `{{webhook.id}}`; a 404 means that it has ended. */
  readonly remove: { readonly request: HttpRequestTemplate };
  readonly signature: WebhookSignature;
  /** The id of what a call reports, the same in each of its attempts. */
  readonly deliveryIdPointer: string;
  /** The time at which it happened, ISO 8601; null: the call does not say. */
  readonly occurredAtPointer: string | null;
  readonly payloadPointer: string;
}

/** An HMAC-SHA256 keyed with the registration's secret, over the body or `<timestamp>.<body>`. */
export interface WebhookSignature {
  readonly header: string;
  /** What precedes the digest in the header, such as `sha256=`. */
  readonly prefix: string;
  readonly encoding: 'hex' | 'base64';
  /** The header with the Unix seconds of the call; null: the body alone is signed. */
  readonly timestampHeader: string | null;
}

/** A request of a recipe, and where it is in its trigger type. */
export interface RecipeRequest {
  readonly path: readonly string[];
  readonly request: HttpRequestTemplate;
}

/** Every request of a trigger type. */
export function recipeRequests({
  poll,
  webhook,
}: Pick<TriggerTypeDefinition, 'poll' | 'webhook'>): readonly RecipeRequest[] {
  return [
    ...(poll === null
      ? []
      : [
          { path: ['poll', 'request'], request: poll.request },
          { path: ['poll', 'newest'], request: poll.newest },
        ]),
    ...(webhook === null
      ? []
      : [
          { path: ['webhook', 'register', 'request'], request: webhook.register.request },
          { path: ['webhook', 'list', 'request'], request: webhook.list.request },
          { path: ['webhook', 'remove', 'request'], request: webhook.remove.request },
        ]),
  ];
}

/** The recipes of a trigger type with every request changed by `change`. */
export function mapRecipeRequests(
  { poll, webhook }: Pick<TriggerTypeDefinition, 'poll' | 'webhook'>,
  change: (request: HttpRequestTemplate) => HttpRequestTemplate,
): Pick<TriggerTypeDefinition, 'poll' | 'webhook'> {
  return {
    poll: poll === null ? null : { ...poll, request: change(poll.request), newest: change(poll.newest) },
    webhook:
      webhook === null
        ? null
        : {
            ...webhook,
            register: { ...webhook.register, request: change(webhook.register.request) },
            list: { ...webhook.list, request: change(webhook.list.request) },
            remove: { request: change(webhook.remove.request) },
          },
  };
}
