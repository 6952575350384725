import type { Json } from '@fairlead/connector-model/json';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { cutText } from '../cut-text.ts';
import { MAX_QUOTED_LENGTH, VendorRefusal } from '../failure.ts';
import { valueAt } from '../json-pointer.ts';
import { decodeRefusal } from './body.ts';
import type { StatedFailure } from './stated-success.ts';
import { fromXml } from './xml.ts';

/** Vendors also answer 404 for resources that the credential may not see. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/**
 * The failure for a response that is not a 2xx, or that reports a failure (`stated`). It has the status and the
 * vendor's message: the value at the first of the connector's pointers that exists, else the beginning of the body. A
 * 401 means that the credential was refused.
 */
export function vendorFailure(
  connector: ConnectorHead,
  response: EgressResponse,
  stated?: StatedFailure,
): VendorRefusal {
  const text = vendorMessage(connector, response);
  const verb = stated === undefined ? `responded with ${response.status}` : 'refused the call';
  const message = `${connector.name} ${verb}${text === '' ? '.' : `: ${text}`}`;
  return new VendorRefusal(message, {
    isUnauthorized: stated?.isUnauthorized ?? response.status === 401,
    isAboutAccess: stated !== undefined || ACCESS_STATUSES.has(response.status),
  });
}

/** The failure for a 2xx response with these error messages. */
export function listedFailure({ name }: Pick<ConnectorHead, 'name'>, messages: string): VendorRefusal {
  return new VendorRefusal(`${name} refused the call: ${messageText(messages)}`);
}

function vendorMessage(connector: ConnectorHead, response: EgressResponse): string {
  const body = decodeRefusal(fromXml(connector, response));
  for (const pointer of connector.errorMessagePointers) {
    const text = messageText(valueAt(body, pointer));
    if (text !== '') return text;
  }
  // The HTML source of an error page would not help anyone.
  if (response.headers['content-type']?.includes('html') === true) return '';
  return messageText(body);
}

function messageText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cutText(text.trim(), MAX_QUOTED_LENGTH);
}
