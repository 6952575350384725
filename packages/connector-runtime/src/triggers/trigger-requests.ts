import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { PollRecipe, RequestPollRecipe } from '@fairlead/connector-model/trigger-recipes';
import { parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { VendorCall } from '../call.ts';
import type { Sender } from '../http/send.ts';
import { readNewItems, seedCursor } from './poll.ts';
import type { TriggerExecution } from './trigger-tool.ts';
import { findWebhooks, registerWebhook, removeWebhook } from './webhook-registration.ts';

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
