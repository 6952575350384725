import type { HttpRequestTemplate, SchemaOutput, TriggerTypeDefinition } from './model.ts';
import type { safePaging } from './schema/paging.ts';
import type { pollRecipe, webhookRecipe } from './schema/trigger-recipes.ts';

/** Pagings of a list that is read to its end while it changes. */
export type SafePaging = SchemaOutput<typeof safePaging>;
/** The recipe for polling an application. Pointers are JSON pointers; item pointers start at the item. */
export type PollRecipe = SchemaOutput<typeof pollRecipe>;
/** A poll recipe with HTTP requests. */
export type RequestPollRecipe = Exclude<PollRecipe, { readonly handler: string }>;
/** The recipe for registering a webhook, and for verifying and reading its calls. */
export type WebhookRecipe = SchemaOutput<typeof webhookRecipe>;
/** The signature of a call: an HMAC-SHA256 with the registration's secret, over the body or `<timestamp>.<body>`. */
export type WebhookSignature = WebhookRecipe['signature'];

/** A request of a recipe, and its path in the trigger type. */
export interface RecipeRequest {
  readonly path: readonly string[];
  readonly request: HttpRequestTemplate;
}

/** All requests of a trigger type. */
export function recipeRequests({
  poll,
  webhook,
}: Pick<TriggerTypeDefinition, 'poll' | 'webhook'>): readonly RecipeRequest[] {
  return [
    ...(poll === null || 'handler' in poll
      ? []
      : [
          { path: ['poll', 'request'], request: poll.request },
          ...(poll.newest === undefined ? [] : [{ path: ['poll', 'newest'], request: poll.newest }]),
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

/** The recipes of a trigger type, with `change` applied to every request. */
export function mapRecipeRequests(
  { poll, webhook }: Pick<TriggerTypeDefinition, 'poll' | 'webhook'>,
  change: (request: HttpRequestTemplate) => HttpRequestTemplate,
): Pick<TriggerTypeDefinition, 'poll' | 'webhook'> {
  return {
    poll:
      poll === null || 'handler' in poll
        ? poll
        : {
            ...poll,
            request: change(poll.request),
            ...(poll.newest !== undefined && { newest: change(poll.newest) }),
          },
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
