import type { ToolDefinition, TriggerTypeDefinition } from '@fairlead/connector-model/model';
import type { PollRecipe, WebhookRecipe } from '@fairlead/connector-model/trigger-recipes';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { PollCursor } from './poll-cursor.ts';

/** A trigger's call to its application. The comments describe its output. */
export type TriggerExecution =
  /** `{cursor}` for a new trigger. */
  | { readonly type: 'seed'; readonly recipe: PollRecipe; readonly now: Date }
  /** `{items, cursor, hasMore, gaps}`: a PollRead. */
  | {
      readonly type: 'poll';
      readonly recipe: PollRecipe;
      readonly now: Date;
      readonly cursor: PollCursor;
    }
  /** `{id}` of the registration. */
  | {
      readonly type: 'registerWebhook';
      readonly recipe: WebhookRecipe;
      readonly url: string;
      readonly secret: string;
    }
  /** `{ids}` of all registrations of an address. */
  | { readonly type: 'findWebhooks'; readonly recipe: WebhookRecipe; readonly url: string }
  /** `{}` */
  | { readonly type: 'removeWebhook'; readonly recipe: WebhookRecipe; readonly id: string };

/** A trigger's call that is represented as a tool, so that tool-call limits, execution and errors apply to it. */
export interface TriggerTool extends Pick<ToolDefinition, 'toolSlug' | 'retryClass'> {
  readonly trigger: TriggerExecution;
}

/** A registration must not be repeated, because both would remain. */
const RETRY_CLASSES = {
  seed: 'readOnly',
  poll: 'readOnly',
  registerWebhook: 'unsafe',
  findWebhooks: 'readOnly',
  removeWebhook: 'idempotent',
} as const;

/** The tool that represents a call of a trigger of this type. */
export function triggerTool(
  { slug }: Pick<TriggerTypeDefinition, 'slug'>,
  trigger: TriggerExecution,
): TriggerTool {
  return { toolSlug: slug, retryClass: RETRY_CLASSES[trigger.type], trigger };
}

/** The name and inputs of a handler that makes this call; undefined: the call consists of HTTP requests. */
export function triggerHandler(
  fields: LazyObject,
  trigger: TriggerExecution,
): { readonly name: string; readonly fields: LazyObject } | undefined {
  if (trigger.type !== 'seed' && trigger.type !== 'poll') return undefined;
  const { recipe, now } = trigger;
  if (!('handler' in recipe)) return undefined;
  const cursor = trigger.type === 'poll' ? { cursor: { ...trigger.cursor } } : {};
  return { name: recipe.handler, fields: { ...fields, now: now.toISOString(), ...cursor } };
}
