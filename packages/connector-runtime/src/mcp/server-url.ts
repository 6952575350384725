import { CallFailure } from '../failure.ts';
import type { RequestOwner } from '../http/request.ts';
import { textOf } from '../templates.ts';
import { renderUrl } from '../url-template.ts';

/**
 * The connection's URL, unchanged, because a trailing slash or a query may matter to the server. A connector for one
 * particular server has its URL as the base address instead.
 */
export function serverUrl({ connector, credential }: RequestOwner): URL {
  if (connector.baseUrl !== null) return renderUrl(connector.baseUrl, { field: credential.fields });
  const url = URL.parse(textOf(credential.fields['serverUrl'] ?? ''));
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new CallFailure('The server URL must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CallFailure('The server URL must not contain a user name or password.');
  }
  return url;
}
