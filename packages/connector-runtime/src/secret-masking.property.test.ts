import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTextMasker } from './secret-masking.ts';

/** Secrets without the mask's character, long enough to be masked inside words. */
const secrets = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 4, maxLength: 40 }),
    fc.string({ minLength: 4, maxLength: 40 }),
  )
  .filter((secret) => !secret.includes('*'));

/** A sequence of choices, which the test consumes one by one. */
type Choose = (options: number) => number;
const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 50 }).map((numbers): Choose => {
  let at = 0;
  return (options) => (numbers[(at += 1) % numbers.length] ?? 0) % options;
});

const inAnyCase = (digits: string, choose: Choose): string =>
  digits.replaceAll(/./g, (digit) => (choose(2) === 0 ? digit.toUpperCase() : digit));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function percentEncoded(text: string, choose: Choose): string {
  return Array.from(text, (character) =>
    character !== '%' && choose(3) === 0
      ? character
      : hexOf(Buffer.from(character)).replaceAll(/../g, (byte) => `%${inAnyCase(byte, choose)}`),
  ).join('');
}

/** Splits by characters, because UTF-8 cannot encode half of a surrogate pair. */
function jsonEscaped(text: string, choose: Choose): string {
  return Array.from(text, (character) => {
    if (choose(3) === 0)
      return character.replaceAll(/[^]/g, (unit) => {
        const digits = unit.charCodeAt(0).toString(16).padStart(4, '0');
        return `\\u${inAnyCase(digits, choose)}`;
      });
    return character === '/' && choose(2) === 0 ? String.raw`\/` : JSON.stringify(character).slice(1, -1);
  }).join('');
}

/** Encoded digits of the secret with other bytes around it, so the secret can start and end anywhere in a digit. */
function inDigits(text: string, choose: Choose): string {
  const around = (): Buffer => Buffer.alloc(choose(6), 'key=');
  const bytes = Buffer.concat([around(), Buffer.from(text), around()]);
  if (choose(3) === 0) return inAnyCase(bytes.toString('hex'), choose);
  const digits = bytes.toString(choose(2) === 0 ? 'base64' : 'base64url');
  const padded = choose(2) === 0 ? digits : digits.replace(/=+$/, '');
  const width = 1 + choose(76);
  return choose(2) === 0
    ? padded
    : (padded.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(choose(2) === 0 ? '\n' : '\r\n');
}

const ENCODINGS = [(text: string) => text, percentEncoded, jsonEscaped, inDigits] as const;
/** Encodings that can wrap another encoding. */
const ENVELOPES = [(text: string) => text, percentEncoded, jsonEscaped] as const;

/** All texts that decoding can produce, with independent decoders. */
function readings(text: string): string[] {
  const unescaped = (source: string): string =>
    source.replaceAll(/\\(?:u([0-9a-f]{4})|(["\\/bfnrt]))/gi, (_whole, unit: string, letter: string) =>
      unit
        ? String.fromCharCode(Number.parseInt(unit, 16))
        : (JSON.parse(`"\\${letter.toLowerCase()}"`) as string),
    );
  const unpercented = (source: string): string =>
    source.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  let texts = [text];
  for (let level = 0; level < 2; level += 1)
    texts = [...new Set(texts.flatMap((each) => [each, unescaped(each), unpercented(each)]))];
  return texts.flatMap((each) => [
    each,
    ...[each, each.replaceAll(/[\r\n]/g, '')].flatMap((source) => [
      ...(source.match(/[A-Za-z0-9+/_-]{4,}/g) ?? []).flatMap((run) =>
        [0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), 'base64').toString()),
      ),
      ...(source.match(/[0-9A-Fa-f]{8,}/g) ?? []).flatMap((run) =>
        [0, 1].map((skipped) => Buffer.from(run.slice(skipped), 'hex').toString()),
      ),
    ]),
  ]);
}

it('a secret is masked in any spelling of any encoding, within another one too, among others', () => {
  fc.assert(
    fc.property(
      fc.array(secrets, { minLength: 1, maxLength: 4 }),
      choices,
      fc.string({ unit: 'binary', maxLength: 20 }),
      (known, choose, around) => {
        const secret = known[0] ?? '';
        const encoded = (ENCODINGS[choose(ENCODINGS.length)] ?? percentEncoded)(secret, choose);
        const sent = (ENVELOPES[choose(ENVELOPES.length)] ?? percentEncoded)(encoded, choose);
        const masked = createTextMasker(known)(`${around} "${sent}" ${around}`);
        expect(masked).toContain('***');
        expect(readings(masked).filter((reading) => reading.includes(secret))).toEqual([]);
      },
    ),
    { numRuns: 3000, seed: 11 },
  );
});

it('a text that holds no secret stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), secrets, (text, secret) => {
      fc.pre(readings(text).every((reading) => !reading.includes(secret)));
      expect(createTextMasker([secret])(text)).toBe(text);
    }),
    { numRuns: 1000, seed: 12 },
  );
});

/** Length of a text for which a quadratic algorithm would take minutes. */
const LARGE = 1024 * 1024;

it.each(['+a%2B\\u002b\n', 'YWFh\\n%0A\nYWFh', 'aaaa'])(
  'is linear in a text of %j, with 64 KiB of secrets: otherwise the test would not end in its time',
  (part) => {
    const known = Array.from({ length: 64 }, (_value, at) => `${'a'.repeat(1000)}${at}`.slice(0, 1020));
    expect(createTextMasker(known)(part.repeat(Math.ceil(LARGE / part.length)))).not.toBe('');
  },
);
