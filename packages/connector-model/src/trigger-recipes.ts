import type { HttpRequestTemplate, Parsed, TriggerTypeDefinition } from './model.ts';
import type { safePaging } from './schema/paging.ts';
import type { pollRecipe, webhookRecipe } from './schema/trigger-recipes.ts';

/** The pagings by which a list is read to its end while it changes. */
export type SafePaging = Parsed<typeof safePaging>;
/** How an application is asked what is new. Pointers are JSON pointers; those of an item start at the item. */
export type PollRecipe = Parsed<typeof pollRecipe>;
/** One that asks by requests. */
export type RequestPollRecipe = Exclude<PollRecipe, { readonly handler: string }>;
/** How an application is told where to call, and how its calls are proved and read. */
export type WebhookRecipe = Parsed<typeof webhookRecipe>;
/** An HMAC-SHA256 keyed with the registration's secret, over the body or `<timestamp>.<body>`. */
export type WebhookSignature = WebhookRecipe['signature'];

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
    ...(poll === null || 'handler' in poll
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
    poll:
      poll === null || 'handler' in poll
        ? poll
        : { ...poll, request: change(poll.request), newest: change(poll.newest) },
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
