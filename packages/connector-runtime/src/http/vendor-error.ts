import type { ConnectorHead, Json } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/service-kit/egress/egress';
import { cutText } from '../cut-text.ts';
import { MAX_QUOTED_LENGTH, VendorRefusal } from '../failure.ts';
import { valueAt } from '../json-pointer.ts';
import { decodeRefusal } from './body.ts';
import type { StatedFailure } from './stated-success.ts';
import { fromXml } from './xml.ts';

/** Vendors hide behind a 404 what a credential may not see. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/**
 * The failure for a response that is not a 2xx, or for one that is `stated` to be a failure: its status and the vendor's own message,
 * from the first of the connector's pointers that has one, else the beginning of the body's text. 401 refuses the credential.
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

/** The failure for a 2xx response that lists errors with these messages. */
export function listedFailure({ name }: Pick<ConnectorHead, 'name'>, messages: string): VendorRefusal {
  return new VendorRefusal(`${name} refused the call: ${messageText(messages)}`);
}

function vendorMessage(connector: ConnectorHead, response: EgressResponse): string {
  const body = decodeRefusal(fromXml(connector, response));
  for (const pointer of connector.errorMessagePointers) {
    const text = messageText(valueAt(body, pointer));
    if (text !== '') return text;
  }
  // The source text of an HTML page is of no use in a message.
  if (response.headers['content-type']?.includes('html') === true) return '';
  return messageText(body);
}

function messageText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cutText(text.trim(), MAX_QUOTED_LENGTH);
}
