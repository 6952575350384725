import type { AuthenticationMethod, ConnectorHead } from './model.ts';
import { placeholdersIn, templateParts } from './template.ts';
import type { Placeholder } from './template.ts';

/** A value in the host of a URL template. */
export interface HostUse {
  readonly placeholder: Placeholder;
  /** `address`: the value is the URL with which the template begins; `part`: the value is a part of the host. */
  readonly use: 'address' | 'part';
  /** The end of the host after its last value, with the port; empty if a value ends the host. */
  readonly suffix: string;
}

/** The values that determine the host of a URL. The operator chooses settings, so they count as literal text. */
export function hostUsesIn(template: string): readonly HostUse[] {
  const parts = templateParts(template);
  const [first] = parts;
  if (first !== undefined && 'placeholder' in first) {
    const { placeholder } = first;
    return placeholder.root === 'setting' ? [] : [{ placeholder, use: 'address', suffix: '' }];
  }
  let host: string | undefined;
  let suffix = '';
  const placeholders: Placeholder[] = [];
  for (const part of parts) {
    const text = 'text' in part ? part.text : settingText(part.placeholder.root);
    if (text === undefined) {
      if (host !== undefined && 'placeholder' in part) placeholders.push(part.placeholder);
      suffix = '';
      continue;
    }
    const from: string | undefined = host === undefined ? /^https?:\/\/(.*)$/is.exec(text)?.[1] : text;
    if (from === undefined) return [];
    const end = from.search(/[/?#]/);
    host = from;
    suffix += end < 0 ? from : from.slice(0, end);
    if (end >= 0) break;
  }
  return placeholders.map((placeholder) => ({ placeholder, use: 'part', suffix }));
}

function settingText(root: string): string | undefined {
  return root === 'setting' ? 'setting' : undefined;
}

/** A URL template, and its path in the connector. */
export interface UrlTemplate {
  readonly url: string;
  readonly path: readonly (string | number)[];
}

/** The URLs, besides those of tools, to which the secrets of a connection with this method are sent. */
export function methodUrls(
  connector: Pick<ConnectorHead, 'baseUrl' | 'authenticationMethods'>,
  method: AuthenticationMethod,
): readonly UrlTemplate[] {
  const at = ['authenticationMethods', connector.authenticationMethods.indexOf(method)];
  const urls: UrlTemplate[] = [];
  if (method.baseUrl !== null) urls.push({ url: method.baseUrl, path: [...at, 'baseUrl'] });
  else if (connector.baseUrl !== null) urls.push({ url: connector.baseUrl, path: ['baseUrl'] });
  urls.push(...urlsIn(method.scheme, [...at, 'scheme']));
  if (method.test?.type === 'http') {
    urls.push({ url: method.test.request.url, path: [...at, 'test', 'request', 'url'] });
  }
  method.fields.forEach(({ dynamicOptions }, index) => {
    if (dynamicOptions === null) return;
    urls.push({
      url: dynamicOptions.request.url,
      path: [...at, 'fields', index, 'dynamicOptions', 'request', 'url'],
    });
  });
  return urls;
}

/** The fields that determine where the secrets of a connection with this method are sent. */
export function addressFields(
  connector: Pick<ConnectorHead, 'baseUrl' | 'authenticationMethods'>,
  method: AuthenticationMethod,
): ReadonlySet<string> {
  const placed = methodUrls(connector, method).flatMap(({ url }) => placeholdersIn(url));
  return new Set([
    ...placed.filter(({ root }) => root === 'field').map(({ name }) => name),
    // A handler, or the rule about an issuer, uses these fields without a template.
    ...method.fields.filter(({ allowedHosts }) => allowedHosts.length > 0).map(({ name }) => name),
  ]);
}

/** The strings in members named `url` or `…Url`, at any depth. */
function urlsIn(value: unknown, path: UrlTemplate['path']): readonly UrlTemplate[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => {
    const at = [...path, member];
    const isUrl = typeof inner === 'string' && (member === 'url' || member.endsWith('Url'));
    return isUrl ? [{ url: inner, path: at }] : urlsIn(inner, at);
  });
}
