import {
  BASE64_DIGITS,
  HEX_DIGITS,
  jsonDecoded,
  percentDecoded,
  plusDecoded,
  unwrapped,
} from './encoded-views.ts';
import type { TextView } from './encoded-views.ts';
import { SecretMatcher } from './secret-matcher.ts';

/** Called with the start and end of a byte range that holds a secret. */
type TakeSpan = (start: number, end: number) => void;

/** Finds all secrets in a UTF-8 text. */
export type SecretFinder = (text: Uint8Array, take: TakeSpan) => void;

const EQUALS_SIGN = 0x3d;

/**
 * Creates a finder of these secrets, plain and in every encoding that createTextMasker lists. It decodes the text
 * instead of encoding the secrets, so any spelling of an encoding is found.
 */
export function createSecretFinder(secrets: readonly Uint8Array[]): SecretFinder {
  const matcher = new SecretMatcher(secrets);
  const shortest = Math.min(...secrets.map(({ length }) => length));
  const hasSpaces = secrets.some((secret) => secret.includes(0x20));
  const base64 = { digits: BASE64_DIGITS, bits: 6, alignments: 4, shortest };
  const hex = { digits: HEX_DIGITS, bits: 4, alignments: 2, shortest };
  return (text, take) => {
    const findEncoded = (view: TextView): void => {
      findDigits(matcher, view, take, base64);
      findDigits(matcher, view, take, hex);
    };
    const plain: TextView = { bytes: text };
    const json = jsonDecoded(plain);
    const percent = percentDecoded(plain);
    const views = [
      plain,
      json,
      percent,
      // Views of nested encodings: JSON and percent-encoding, each in itself and in the other.
      json && jsonDecoded(json),
      json && percentDecoded(json),
      percent && jsonDecoded(percent),
      percent && percentDecoded(percent),
    ];
    for (const view of views) {
      if (view === undefined || view.bytes.length < shortest) continue;
      findPlain(matcher, view, take);
      findEncoded(view);
      const whole = unwrapped(view);
      if (whole !== undefined) findEncoded(whole);
    }
    if (!hasSpaces) return;
    for (const view of [plain, json]) {
      // Decode `+` before percent-encoding, where it stands for itself.
      const form = view && plusDecoded(view);
      findPlain(matcher, form, take);
      findPlain(matcher, form && percentDecoded(form), take);
    }
  };
}

function findPlain(matcher: SecretMatcher, view: TextView | undefined, take: TakeSpan): void {
  if (view === undefined) return;
  const { bytes } = view;
  let state = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    state = matcher.step(state, bytes[at] ?? 0);
    const length = matcher.lengthAt(state);
    if (length > 0) takeSpan(view, at + 1 - length, at + 1, take);
  }
}

/** An encoding of bytes as digits of `bits` bits each. */
interface DigitEncoding {
  readonly digits: Int8Array;
  readonly bits: number;
  /** Number of digits after which a byte starts at the start of a digit again. */
  readonly alignments: number;
  /** Bytes of the shortest secret. */
  readonly shortest: number;
}

/** Finds secrets in the bytes that runs of digits encode, at every offset within a run. */
function findDigits(matcher: SecretMatcher, view: TextView, take: TakeSpan, encoding: DigitEncoding): void {
  const { bytes } = view;
  const fewest = Math.ceil((8 * encoding.shortest) / encoding.bits);
  let start = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    if (at < bytes.length && (encoding.digits[bytes[at] ?? 0] ?? -1) >= 0) continue;
    if (at - start >= fewest) {
      for (let skipped = 0; skipped < encoding.alignments; skipped += 1) {
        findInRun(matcher, view, take, encoding, start + skipped, at);
      }
    }
    start = at + 1;
  }
}

function findInRun(
  matcher: SecretMatcher,
  view: TextView,
  take: TakeSpan,
  { digits, bits }: DigitEncoding,
  start: number,
  end: number,
): void {
  const { bytes } = view;
  let state = 0;
  let pending = 0;
  let pendingBits = 0;
  let decoded = 0;
  for (let at = start; at < end; at += 1) {
    pending = ((pending << bits) | (digits[bytes[at] ?? 0] ?? 0)) & 0xff_ff;
    pendingBits += bits;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    decoded += 1;
    state = matcher.step(state, (pending >> pendingBits) & 0xff);
    const length = matcher.lengthAt(state);
    if (length === 0) continue;
    const first = start + Math.floor(((decoded - length) * 8) / bits);
    let last = at + 1;
    if (last === end) while (bytes[last] === EQUALS_SIGN && last < end + 2) last += 1;
    takeSpan(view, first, last, take);
  }
}

function takeSpan({ starts, ends }: TextView, start: number, end: number, take: TakeSpan): void {
  take(starts?.[start] ?? start, ends?.[end - 1] ?? end);
}
