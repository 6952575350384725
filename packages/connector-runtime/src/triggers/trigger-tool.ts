import type {
  Json,
  JsonObject,
  ToolDefinition,
  TriggerTypeDefinition,
} from '@fairlead/connector-model/model';
import type { PollRecipe, RequestPollRecipe, WebhookRecipe } from '@fairlead/connector-model/trigger-recipes';
import { parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { VendorCall } from '../call.ts';
import type { Sender } from '../http/send.ts';
import { readNewItems, seedCursor } from './poll.ts';
import type { PollCursor } from './poll-cursor.ts';
import { findWebhooks, registerWebhook, removeWebhook } from './webhook-registration.ts';

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

/** The recipe of a call that consists of HTTP requests (triggerHandler). */
function byRequests(recipe: PollRecipe): RequestPollRecipe {
  if ('handler' in recipe) throw new Error('A handler makes this call.');
  return recipe;
}

/** Makes the call's HTTP requests. `call.fields` is the trigger's configuration. Throws CallFailure and EgressError. */
export async function callForTrigger(
  call: Omit<VendorCall, 'tool'>,
  trigger: TriggerExecution,
  sender: Sender,
): Promise<JsonObject> {
  const configuration = parsedMembers(call.fields);
  switch (trigger.type) {
    case 'seed':
      return {
        cursor: {
          ...(await seedCursor({
            ...trigger,
            recipe: byRequests(trigger.recipe),
            owner: call,
            configuration,
            sender,
          })),
        },
      };
    case 'poll': {
      const read = await readNewItems(
        { ...trigger, recipe: byRequests(trigger.recipe), owner: call, configuration, sender },
        trigger.cursor,
      );
      return asJson(read);
    }
    case 'registerWebhook':
      return { id: await registerWebhook({ ...trigger, owner: call, configuration, sender }, trigger) };
    case 'findWebhooks':
      return { ids: await findWebhooks({ ...trigger, owner: call, configuration, sender }, trigger.url) };
    case 'removeWebhook':
      await removeWebhook({ ...trigger, owner: call, configuration, sender }, trigger.id);
      return {};
  }
}

/** The result is plain JSON, which the interfaces cannot express. */
function asJson(read: object): { readonly [name: string]: Json } {
  return read as { readonly [name: string]: Json };
}
