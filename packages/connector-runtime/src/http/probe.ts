import type { DynamicOptions, HttpRequestTemplate } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import { valueAt } from '../json-pointer.ts';
import { isArray, isObject, textOf } from '../templates.ts';
import { decodeBody } from './body.ts';
import { buildRequest } from './request.ts';
import type { RequestOwner } from './request.ts';
import { requireSuccess } from './response.ts';
import type { Sender } from './send.ts';

/** Sends a credential's test request. Throws CallFailure unless the response is a 2xx. */
export async function probe(
  owner: RequestOwner,
  template: HttpRequestTemplate,
  sender: Sender,
): Promise<void> {
  requireSuccess(owner.connector, await sender.send(buildRequest(owner, template, {})));
}

/** Requests a field's valid values from the vendor: value → label. Throws CallFailure. */
export async function discoverOptions(
  owner: RequestOwner,
  options: DynamicOptions,
  sender: Sender,
): Promise<Record<string, string>> {
  const response = await sender.send(buildRequest(owner, options.request, {}));
  requireSuccess(owner.connector, response);
  const items = valueAt(decodeBody(response), options.itemsPointer);
  if (items === undefined || !isArray(items)) {
    throw new CallFailure(`${owner.connector.name} sent a response without the expected list.`);
  }
  return Object.fromEntries(
    items.flatMap((item) => {
      const value = valueAt(item, options.valuePointer);
      if (value === undefined || value === null || isObject(value)) return [];
      return [[textOf(value), textOf(valueAt(item, options.labelPointer) ?? value)] as const];
    }),
  );
}
