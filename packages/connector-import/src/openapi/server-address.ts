import { isJsonArray, isJsonObject, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** The address of the document's first server, with the defaults of its variables; undefined if it has none, or one that is incomplete. */
export function serverOf(document: JsonObject, documentUrl: string | undefined): string | undefined {
  const { servers, schemes, host, basePath } = document;
  if (typeof document['swagger'] === 'string') {
    const from = documentUrl === undefined ? undefined : URL.parse(documentUrl);
    const name = typeof host === 'string' ? host : from?.host;
    if (name === undefined) return undefined;
    const isHttp =
      isJsonArray(schemes) && schemes.length > 0 ? !schemes.includes('https') : from?.protocol === 'http:';
    return wholeAddress(
      `${isHttp ? 'http' : 'https'}://${name}${typeof basePath === 'string' ? basePath : ''}`,
    );
  }
  return addressOf(servers, documentUrl);
}

/** The address of the first of these servers. */
export function addressOf(servers: Json | undefined, documentUrl: string | undefined): string | undefined {
  const [server] = isJsonArray(servers) ? servers.filter(isJsonObject) : [];
  // Without servers, the document's own origin is the server (OpenAPI).
  const url = server === undefined ? '/' : server['url'];
  if (typeof url !== 'string') return undefined;
  const variables = objectOrEmpty(server?.['variables']);
  const filled = url.replaceAll(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? objectOrEmpty(variables[name]) : {};
    const { default: value } = variable;
    return typeof value === 'string' ? value : whole;
  });
  const resolved = documentUrl === undefined ? URL.parse(filled) : URL.parse(filled, documentUrl);
  return resolved === null ? undefined : wholeAddress(resolved.href);
}

/** The address as the base URL of requests; undefined if it is unsuitable. */
export function wholeAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  const address = url.href.replace(/\/$/, '');
  // Braces would be read as a template; they remain from a variable without a default.
  return /[{}]|%7[bd]/i.test(address) ? undefined : address;
}
