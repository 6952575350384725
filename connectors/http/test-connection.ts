import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { authorize } from '@fairlead/connector-runtime/http/authorization';
import { baseUrlOf, requestTarget } from './target.ts';

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
  const response = await call.egress.fetch(request.url, {
    headers: request.headers,
    redirect: 'manual',
    signal: call.signal,
  });
  await response.body?.cancel();
  if (response.status === 401) {
    throw new HandlerError('The API refused the credential (401).', { isUnauthorized: true });
  }
  return {};
};
