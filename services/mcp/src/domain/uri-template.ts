/**
 * Whether a URI may be an expansion of a template (RFC 6570): it contains the template's literals in order, with any text in place of
 * expressions. Linear in the URI.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  const [first = '', ...others] = template.split(/\{[^{}]*\}/);
  if (others.length === 0) return template === uri;
  const last = others.pop() ?? '';
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  const end = uri.length - last.length;
  let at = first.length;
  for (const literal of others) {
    const found = uri.indexOf(literal, at);
    if (found < 0 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return true;
}
