const HALF_PAIR_AT_END = /[\ud800-\udbff]$/;

/**
 * At most `maxLength` UTF-16 units of a text, never half a surrogate pair and never a lone one: those are no text to
 * protobuf, headers and URLs.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed();
  return text.slice(0, maxLength).replace(HALF_PAIR_AT_END, '').toWellFormed();
}
