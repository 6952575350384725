import { InputError } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { isObject } from '@fairlead/connector-runtime/templates';
import { sendWithHeaders } from '../http/send-request.ts';

/**
 * Sends a request to any URL or, with a profile, below its base URL and with its headers, which replace the call's headers of the same
 * name. Redirects are returned, not followed: following could send the headers elsewhere.
 */
const sendRequest: Handler = async (call) => {
  const { type, headers } = call.credential.fields;
  if (type !== undefined && type !== 'http')
    throw new InputError([{ field: 'fields.profile', issue: 'must name a profile of the type http' }]);
  return sendWithHeaders(call, isObject(headers) ? headers : {});
};

/** The handlers of the connector `onprem-http`, run by on-prem agents. */
export const handlers: Readonly<Record<string, Handler>> = { sendRequest };
