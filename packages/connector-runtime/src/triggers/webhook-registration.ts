import type { JsonObject } from '@fairlead/connector-model/json';
import type { WebhookRecipe } from '@fairlead/connector-model/trigger-recipes';
import { CallFailure } from '../failure.ts';
import { decodeBody, textOf } from '../http/body.ts';
import { buildRequest } from '../http/request.ts';
import type { RequestOwner } from '../http/request.ts';
import { requireSuccess } from '../http/response.ts';
import type { Sender } from '../http/send.ts';
import { valueAt } from '../json-pointer.ts';
import { textAt } from '../json-text.ts';
import { readWholeList } from './whole-list.ts';
import type { ListItem } from './whole-list.ts';

export interface WebhookCall {
  readonly owner: RequestOwner;
  readonly recipe: WebhookRecipe;
  readonly configuration: JsonObject;
  readonly sender: Sender;
}

/** Registers an address at the vendor; returns the registration's id. Throws CallFailure and EgressError. */
export async function registerWebhook(
  { owner, recipe, configuration, sender }: WebhookCall,
  webhook: { readonly url: string; readonly secret: string },
): Promise<string> {
  const { request, idPointer } = recipe.register;
  const response = await sender.send(buildRequest(owner, request, { input: configuration, webhook }));
  requireSuccess(owner.connector, response);
  return idAt(owner, { value: decodeBody(response), text: textOf(response) }, idPointer);
}

/** The ids of all registrations of an address. Throws CallFailure and EgressError. */
export async function findWebhooks(
  { owner, recipe, configuration, sender }: WebhookCall,
  url: string,
): Promise<readonly string[]> {
  const { list } = recipe;
  let ids: string[] = [];
  await readWholeList(owner, list, {
    values: { input: configuration, webhook: { url } },
    sender,
    idOf: (item) => idAt(owner, item, list.idPointer),
    restart: () => {
      ids = [];
    },
    visit: (item) => {
      if (valueAt(item.value, list.urlPointer) === url) ids.push(idAt(owner, item, list.idPointer));
      return true;
    },
  });
  return ids;
}

/** Deletes a registration; succeeds if the vendor does not know it. Throws CallFailure and EgressError. */
export async function removeWebhook(
  { owner, recipe, configuration, sender }: WebhookCall,
  id: string,
): Promise<void> {
  const request = buildRequest(owner, recipe.remove.request, { input: configuration, webhook: { id } });
  const response = await sender.send(request);
  if (response.status !== 404 && response.status !== 410) requireSuccess(owner.connector, response);
}

function idAt(owner: RequestOwner, { value, text }: ListItem, pointer: string): string {
  const found = valueAt(value, pointer);
  // Parsing would change a long number.
  const id = typeof found === 'number' ? textAt(text, pointer) : found;
  if (typeof id === 'string') return id;
  throw new CallFailure(`${owner.connector.name} sent a registration without an id.`);
}
