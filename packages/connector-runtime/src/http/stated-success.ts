import type { Json } from '@fairlead/connector-model/json';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { textAt } from '../json-text.ts';
import { isArray, isObject } from '../templates.ts';
import { isBinaryBody, textOf } from './body.ts';

type SuccessRule = NonNullable<ConnectorHead['success']>;

/** A 2xx response that reports a failure of the call. */
export interface StatedFailure {
  readonly isUnauthorized: boolean;
}

/**
 * The failure that a 2xx response reports by the connector's rule; undefined if it reports none. Only JSON is
 * examined, and only the value at the rule's pointer is parsed.
 */
export function statedFailure(
  { success }: Pick<ConnectorHead, 'success'>,
  response: Pick<EgressResponse, 'headers' | 'body'>,
): StatedFailure | undefined {
  const text = success === undefined ? undefined : jsonTextOf(response);
  if (success === undefined || text === undefined) return undefined;
  if (isSuccess(success, valueIn(text, success.pointer))) return undefined;
  const { unauthorized } = success;
  const code = unauthorized === undefined ? undefined : valueIn(text, unauthorized.pointer);
  return { isUnauthorized: unauthorized?.values.some((value) => value === code) ?? false };
}

/** Whether the body says by the connector's rule that calls came too fast. Only the value at the rule's pointer is parsed. */
export function saysThrottled(
  { throttle }: Pick<ConnectorHead, 'throttle'>,
  response: Pick<EgressResponse, 'headers' | 'body'>,
): boolean {
  if (throttle === undefined) return false;
  // Few bodies hold a code, and none of the others is read.
  const { buffer, byteOffset, byteLength } = response.body;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (!throttle.values.some((value) => bytes.includes(String(value)))) return false;
  const text = jsonTextOf(response);
  if (text === undefined) return false;
  const code = valueIn(text, throttle.pointer);
  return throttle.values.some((value) => value === code);
}

/** The messages of the errors at a pointer in a 2xx response; undefined if there are none. */
export function listedErrors(
  pointer: string,
  response: Pick<EgressResponse, 'headers' | 'body'>,
): string | undefined {
  const text = jsonTextOf(response);
  const errors = text === undefined ? undefined : valueIn(text, pointer);
  if (errors === undefined || !isArray(errors) || errors.length === 0) return undefined;
  return errors.map(messageOf).join('; ');
}

function messageOf(error: Json): string {
  const message = isObject(error) ? error['message'] : error;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

/** The text of a body that may be JSON. */
function jsonTextOf(response: Pick<EgressResponse, 'headers' | 'body'>): string | undefined {
  if (isBinaryBody(response.body, response.headers['content-type'])) return undefined;
  const text = textOf(response);
  return /^\s*[{[]/.test(text) ? text : undefined;
}

function isSuccess({ values }: SuccessRule, value: Json | undefined): boolean {
  if (values.length > 0) return values.some((each) => each === value);
  return value === undefined || value === null || (isArray(value) && value.length === 0);
}

function valueIn(text: string, pointer: string): Json | undefined {
  try {
    const found = textAt(text, pointer);
    // The text of one value of a JSON document.
    return found === undefined ? undefined : (JSON.parse(found) as Json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
