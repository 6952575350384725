import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { authorize } from '@fairlead/connector-runtime/http/authorization';
import { requestTarget } from '@fairlead/connector-runtime/http/target';
import { baseUrlOf } from './base-url.ts';

const MAX_BODY_BYTES = 16 * 1024;

/**
 * Requests the base URL itself with the credential. Any response other than 401 passes, because few APIs serve anything
 * at their base URL.
 */
export const testConnection: Handler = async (call) => {
  const base = baseUrlOf(call.credential.fields) ?? '';
  const request = authorize(call.method.scheme, call.credential, {
    url: requestTarget(base, base),
    headers: {},
  });
  const response = await call.egress.request({
    method: 'GET',
    url: request.url.href,
    headers: request.headers,
    redirect: 'manual',
    // Only the status matters. The beginning of the body is read, so that the connection can be reused after a short body.
    responseBody: 'beginning',
    maxResponseBytes: MAX_BODY_BYTES,
    signal: call.signal,
    destination: call.accountId,
  });
  if (response.status === 401) {
    throw new HandlerError('The API refused the credential (401).', { isUnauthorized: true });
  }
  return {};
};
