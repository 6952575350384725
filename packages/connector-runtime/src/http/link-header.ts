const LINK = /<([^<>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]*))/i;

/** The target of the link with relation `next` in a Link header (RFC 8288), resolved against `base`. */
export function nextLink(header: string | undefined, base: URL): URL | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(LINK)) {
    const rel = REL.exec(parameters);
    const relations = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return URL.parse(target, base.href) ?? undefined;
  }
  return undefined;
}
