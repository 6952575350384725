import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ConnectorHead, ResponseMapping } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { CallFailure } from '../failure.ts';
import { valueAt } from '../json-pointer.ts';
import { isArray, isObject } from '../templates.ts';
import { decodeAnyBody, decodeBody, isBinaryBody } from './body.ts';
import { listedErrors, statedFailure } from './stated-success.ts';
import { trimmed } from './trimmed.ts';
import { listedFailure, vendorFailure } from './vendor-error.ts';

/** One response's part of a list. */
export interface ListPage {
  readonly items: readonly Json[];
  readonly totalCount: number | undefined;
}

/**
 * Maps a vendor's response to the tool's output. A binary body becomes the value that `raw` returns, because no
 * pointer applies to it. Throws CallFailure for an error response or an unexpected form.
 */
export function mapResponse(
  connector: ConnectorHead,
  mapping: Exclude<ResponseMapping, { readonly type: 'list' }>,
  response: EgressResponse,
  outputSchema: JsonObject,
): JsonObject {
  if (mapping.type === 'raw') return rawOutput(response);
  requireSuccess(connector, response, mapping.type === 'object' ? mapping : {});
  switch (mapping.type) {
    case 'empty':
      return {};
    case 'object':
      return isBinaryBody(response.body, response.headers['content-type'])
        ? rawOutput(response)
        : objectAt(response, mapping.pointer, mapping.isTrimmed === true ? outputSchema : undefined);
  }
}

const NO_CONTENT = 204;

/** One page of a list; a 204 has no items. Throws CallFailure in the same cases as mapResponse. */
export function mapListPage(
  connector: ConnectorHead,
  mapping: {
    readonly itemsPointer: string;
    readonly totalPointer: string | null;
    readonly isOmittedWhenEmpty?: boolean;
  },
  response: EgressResponse,
): ListPage {
  requireSuccess(connector, response);
  if (response.status === NO_CONTENT) return { items: [], totalCount: undefined };
  const body = decodeBody(response);
  const omitted = mapping.isOmittedWhenEmpty === true && isObject(body) ? [] : undefined;
  const items = valueAt(body, mapping.itemsPointer) ?? omitted;
  if (items === undefined || !isArray(items)) {
    throw new CallFailure(`${connector.name} sent a response without the expected list.`);
  }
  const total = mapping.totalPointer === null ? undefined : valueAt(body, mapping.totalPointer);
  return { items, totalCount: typeof total === 'number' ? total : undefined };
}

/** Any response as `{status, headers, body}`. */
export function rawOutput(response: Pick<EgressResponse, 'status' | 'headers' | 'body'>): JsonObject {
  return { status: response.status, headers: response.headers, body: decodeAnyBody(response) };
}

/** The object at a pointer in a response's body; with a schema, only its declared properties. */
export function objectAt(
  response: Pick<EgressResponse, 'headers' | 'body'>,
  pointer: string,
  schema?: JsonObject,
): JsonObject {
  const value = valueAt(decodeBody(response), pointer);
  return asObject(value === undefined || schema === undefined ? value : trimmed(value, schema));
}

/** Throws CallFailure unless the response is a 2xx, or if its body reports a failure by the rule of the connector or the tool. */
export function requireSuccess(
  connector: ConnectorHead,
  response: EgressResponse,
  { errorsPointer }: { readonly errorsPointer?: string } = {},
): void {
  if (response.status < 200 || response.status > 299) throw vendorFailure(connector, response);
  const failure = statedFailure(connector, response);
  if (failure !== undefined) throw vendorFailure(connector, response, failure);
  const errors = errorsPointer === undefined ? undefined : listedErrors(errorsPointer, response);
  if (errors !== undefined) throw listedFailure(connector, errors);
}

/** Outputs are objects, so any other value is wrapped in one. */
function asObject(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  return value === undefined || value === null ? {} : { value };
}
