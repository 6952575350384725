import type { IncomingHttpHeaders } from 'node:http';

const PREFIX = 'mcp-param-';

/** The headers in which a client repeats arguments of a tool call, by names without the prefix. */
export function paramHeadersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith(PREFIX) && name !== `${PREFIX}__proto__` && typeof value === 'string')
      found[name.slice(PREFIX.length)] = value;
  return found;
}
