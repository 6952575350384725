const HALF_PAIR_AT_END = /[\ud800-\udbff]$/;

/**
 * Returns at most `maxLength` UTF-16 units of a text, without split or lone surrogates, which protobuf, headers and
 * URLs do not accept.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed();
  return text.slice(0, maxLength).replace(HALF_PAIR_AT_END, '').toWellFormed();
}
