import { hostUsesIn, methodUrls } from './host-uses.ts';
import type { AuthenticationMethod, ConnectorHead, FieldDescriptor } from './model.ts';
import type { Json } from './json.ts';

const ADDRESS = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:\/[^\s\\?#]*)?$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const MAX_HOST_LENGTH = 253;
/** Hosts of this machine, which need no TLS. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** Returns the problem of a field's value, as `must be …`; undefined if it is valid. */
export function valueIssue(field: FieldDescriptor, value: Json): string | undefined {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? textIssue(field, value) : 'must be a string';
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'select': {
      const keys = field.options.map((option) => option.value);
      return typeof value === 'string' && keys.includes(value) ? undefined : `must be one of ${listed(keys)}`;
    }
    case 'json':
      return undefined;
  }
}

/** Returns the problem of a text besides its type: its `pattern` and `allowedHosts`. */
export function textIssue(
  { pattern, allowedHosts }: Pick<FieldDescriptor, 'pattern' | 'allowedHosts'>,
  text: string,
): string | undefined {
  if (pattern !== null && !new RegExp(wholePattern(pattern), 'u').test(text)) return `must match ${pattern}`;
  if (allowedHosts.length === 0) return undefined;
  return isAllowedHost(allowedHosts, text) ? undefined : `must have ${hostsText(allowedHosts)}`;
}

/** The pattern, anchored to match the whole text. */
export function wholePattern(pattern: string): string {
  return `^(?:${pattern})$`;
}

/** Returns the problem of a value at its places in the method's URLs; undefined if it is valid there, or is in no host. */
export function hostValueIssue(
  connector: Pick<ConnectorHead, 'baseUrl' | 'authenticationMethods'>,
  method: AuthenticationMethod,
  name: string,
  value: Json,
): string | undefined {
  const uses = methodUrls(connector, method).flatMap(({ url }) =>
    hostUsesIn(url).flatMap(({ placeholder, use }) =>
      placeholder.root === 'field' && placeholder.name === name ? [use] : [],
    ),
  );
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (uses.includes('part') && !isHostName(text)) {
    return 'must be part of a host name: letters, digits, hyphens and dots';
  }
  return uses.includes('address') && !ADDRESS.test(text)
    ? 'must be an http or https URL without user, query and fragment'
    : undefined;
}

/** Whether a host name or http(s) URL has one of the hosts. Hosts that the manifest names require TLS. */
function isAllowedHost(allowedHosts: readonly string[], text: string): boolean {
  const isName = isHostName(text);
  if (!isName && !ADDRESS.test(text)) return false;
  // Parses the URL, because a host has many notations: 0x7f.1 is 127.0.0.1.
  const url = URL.parse(isName ? `https://${text}` : text);
  if (url === null) return false;
  return allowedHosts.some((allowed) => {
    if (allowed === '*') return true;
    if (url.protocol !== 'https:' && !LOOPBACK.has(allowed)) return false;
    return allowed.startsWith('.') ? url.hostname.endsWith(allowed) : url.hostname === allowed;
  });
}

function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_LENGTH && text.split('.').every((label) => LABEL.test(label));
}

function hostsText(allowedHosts: readonly string[]): string {
  if (allowedHosts.includes('*')) return 'a host: an http or https URL without user, query and fragment';
  const names = allowedHosts.map((host) => (host.startsWith('.') ? `*${host}` : host));
  return `the host ${listed(names)}, over https`;
}

function listed(keys: readonly string[]): string {
  const choices = keys.slice(0, 20).join(', ');
  return keys.length > 20 ? `${choices}, …` : choices;
}
