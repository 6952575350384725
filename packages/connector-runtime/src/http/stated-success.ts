import type { ConnectorHead, Json } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/service-kit/egress/egress';
import { textAt } from '../json-text.ts';
import { isArray } from '../templates.ts';
import { isBinaryBody, textOf } from './body.ts';

type SuccessRule = NonNullable<ConnectorHead['success']>;

/** A 2xx response that says that the call failed. */
export interface StatedFailure {
  readonly isUnauthorized: boolean;
}

/**
 * Whether a 2xx response says by the connector's rule that the call failed; undefined: it does not. Only JSON is judged, and nothing
 * of it is parsed but the value that counts.
 */
export function statedFailure(
  { success }: Pick<ConnectorHead, 'success'>,
  response: Pick<EgressResponse, 'headers' | 'body'>,
): StatedFailure | undefined {
  if (success === undefined || isBinaryBody(response.body, response.headers['content-type']))
    return undefined;
  const text = textOf(response);
  if (!/^\s*[{[]/.test(text)) return undefined;
  if (isSuccess(success, valueIn(text, success.pointer))) return undefined;
  const { unauthorized } = success;
  const code = unauthorized === undefined ? undefined : valueIn(text, unauthorized.pointer);
  return { isUnauthorized: unauthorized?.values.some((value) => value === code) ?? false };
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
