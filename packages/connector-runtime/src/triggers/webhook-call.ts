import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Json } from '@fairlead/connector-model/json';
import type { WebhookRecipe, WebhookSignature } from '@fairlead/connector-model/trigger-recipes';
import { CallFailure } from '../failure.ts';
import { textOf } from '../http/body.ts';
import { parseVendorJson } from '../json-limits.ts';
import { valueAt } from '../json-pointer.ts';
import { textAt } from '../json-text.ts';

/** A vendor's call, unchanged; header names are in lower case. */
export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An event that a vendor reports. */
export interface WebhookReport {
  /** The event's id, equal in all attempts of the vendor. */
  readonly deliveryId: string;
  /** The event's time; undefined: not stated. */
  readonly occurredAt: Date | undefined;
  /** The JSON of the event. */
  readonly payload: Uint8Array;
}

/** Maximum difference from the vendor's clock. An older call may be a replay. */
const MAX_CLOCK_DIFFERENCE_S = 300;

/** Whether a call is signed with the registration's secret and its timestamp, if any, is recent. */
export function isSigned(
  signature: WebhookSignature,
  secret: string,
  { headers, body }: ReceivedWebhook,
  now: Date,
): boolean {
  const header = headers[signature.header] ?? '';
  if (!header.startsWith(signature.prefix)) return false;
  const hmac = createHmac('sha256', secret);
  if (signature.timestampHeader !== null) {
    const timestamp = headers[signature.timestampHeader] ?? '';
    const isRecent = Math.abs(Number(timestamp) - now.getTime() / 1000) <= MAX_CLOCK_DIFFERENCE_S;
    if (!/^\d{1,12}$/.test(timestamp) || !isRecent) return false;
    hmac.update(`${timestamp}.`);
  }
  const expected = Buffer.from(hmac.update(body).digest(signature.encoding));
  const actual = Buffer.from(header.slice(signature.prefix.length));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The event in a signed call; undefined if the body does not match the recipe. */
export function readReport(recipe: WebhookRecipe, body: Uint8Array): WebhookReport | undefined {
  const text = textOf({ body });
  const document = jsonOf(text, body);
  if (document === undefined) return undefined;
  // The unparsed text, so numbers keep all digits.
  const payload = textAt(text, recipe.payloadPointer);
  if (payload === undefined) return undefined;
  const id = valueAt(document, recipe.deliveryIdPointer);
  const time = recipe.occurredAtPointer === null ? undefined : valueAt(document, recipe.occurredAtPointer);
  const occurredMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return {
    deliveryId:
      typeof id === 'string'
        ? id
        : ((typeof id === 'number' ? textAt(text, recipe.deliveryIdPointer) : undefined) ??
          hash('sha256', body)),
    occurredAt: Number.isFinite(occurredMs) ? new Date(occurredMs) : undefined,
    payload: new TextEncoder().encode(payload),
  };
}

function jsonOf(text: string, bytes: Uint8Array): Json | undefined {
  try {
    return parseVendorJson(text, 'The call', bytes);
  } catch (error) {
    // The parsed body; undefined if it is not UTF-8, not JSON, or exceeds the limits.
    if (error instanceof SyntaxError || error instanceof CallFailure) return undefined;
    throw error;
  }
}
