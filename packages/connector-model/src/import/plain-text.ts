const MARKUP = /<[^<>]{1,200}>/g;
/** Control characters, and characters that change the text direction. */
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu;
/** Maximum length that is read. */
const MAX_READ = 10_000;
/** Anything that makes a text differ from its plain form, apart from its length. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}<[`*]|[^\S ]|^ | {2}| $/u;
const LINK = /\[([^\]]{1,200})\]\([^()\s]{1,500}\)/g;

/**
 * The first sentences of a vendor's text, without markup, up to `limit` characters. Undefined: nothing is left. Such
 * texts are in the compiled catalogue only, not in this repository.
 */
export function plainText(text: string, limit: number): string | undefined {
  // Most texts are short and plain, and a document has many thousands of them.
  if (text !== '' && text.length <= limit && !NOT_PLAIN.test(text)) return text;
  const plain = text
    .slice(0, MAX_READ)
    .replaceAll(CONTROLS, ' ')
    .replaceAll(MARKUP, ' ')
    .replaceAll(LINK, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (plain === '') return undefined;
  if (plain.length <= limit) return plain;
  const head = plain.slice(0, limit);
  const sentence = head.lastIndexOf('. ');
  if (sentence > limit / 4) return head.slice(0, sentence + 1);
  const word = head.lastIndexOf(' ');
  return `${head.slice(0, word > 0 ? Math.min(word, limit - 1) : limit - 1)}…`;
}
