import { createHash } from 'node:crypto';
import { MAX_INT32 } from '@fairlead/rest-kit/fields';

/** How run-dependent values are replaced. */
export interface Replacements {
  /** Known values with their replacements: `[sandbox's API key, 'YOUR_…']`. */
  readonly known: readonly (readonly [string, string])[];
  /** Start of the run. */
  readonly startedAt: Date;
}

/** Patterns of run-dependent words, by kind; the first matching kind counts. */
const CHANGING = new RegExp(
  [
    String.raw`(?<time>\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)`,
    String.raw`(?<httpDate>\b[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\b)`,
    String.raw`(?<uuid>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)`,
    String.raw`(?<masked>\bfairlead_\w{4}…)`,
    String.raw`(?<hash>\b[0-9a-f]{40,}\b)`,
    String.raw`(?<id>\b[a-z]{2,8}_[0-9A-Za-z]{22}\b)`,
    String.raw`(?<secret>\bwhsec_[A-Za-z0-9+/]+=*)`,
    String.raw`(?<token>[A-Za-z0-9_-]{20,})`,
  ].join('|'),
  'g',
);

const EPOCH = Date.parse('2026-01-05T09:00:00.000Z');
const ROUND_MS = 5 * 60_000;

/** Replaces run-dependent values by stable ones; equal values get equal replacements. */
export class Stable {
  readonly #o: Replacements;
  readonly #replaced = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(o: Replacements) {
    this.#o = o;
  }

  /** A JSON value with all run-dependent values replaced. */
  of(value: unknown, name = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => this.of(item, name));
    if (typeof value === 'string') return this.#text(value, name);
    if (typeof value === 'number') return this.#number(value, name);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.of(member, key)]));
  }

  #text(text: string, name: string): string {
    if (name === 'date' && /^\d{4}-\d{2}-\d{2}$/.test(text))
      return new Date(EPOCH).toISOString().slice(0, 10);
    let known = text;
    for (const [value, standIn] of this.#o.known) known = known.replaceAll(value, standIn);
    // The named groups are the callback's last argument.
    return known.replace(CHANGING, (word, ...found) => this.#word(word, found.at(-1) as Groups));
  }

  #word(word: string, { time, httpDate, uuid, masked, hash, token }: Groups): string {
    if (time !== undefined) return this.#once('time', word, () => this.#time(Date.parse(time)));
    if (httpDate !== undefined) return new Date(EPOCH).toUTCString();
    if (masked !== undefined) return 'fairlead_4f7Q…';
    if (uuid !== undefined) return this.#once('uuid', word, uuidOf);
    if (hash !== undefined)
      return this.#once('hash', word, (digits) => (digits + digits).slice(0, word.length));
    if (token !== undefined && !isRandom(token)) return word;
    const [prefix = ''] = /^(?:[a-z]+_)+/.exec(word) ?? [];
    return this.#once(prefix, word, (digits) => prefix + letters(digits, word.length - prefix.length));
  }

  #number(value: number, name: string): number {
    if (/duration_?ms/i.test(name)) return 42;
    if (!name.endsWith('Id') || value <= MAX_INT32) return value;
    return Number(this.#once('number', String(value), (_, count) => String(800_000_000_000_000 + count)));
  }

  /** Times of the run keep their order and their distances. */
  #time(time: number): string {
    const { startedAt } = this.#o;
    const sinceMs = time - startedAt.getTime();
    if (sinceMs < 0) return new Date(EPOCH - 60_000).toISOString();
    const count = this.#counts.get('time') ?? 0;
    const laterMs = Math.round(sinceMs / ROUND_MS) * ROUND_MS;
    return new Date(EPOCH + (laterMs === 0 ? count * 1_000 : laterMs)).toISOString();
  }

  /** The replacement of `value`; at first sight, `standIn` creates it from the next number of its kind. */
  #once(kind: string, value: string, standIn: (digits: string, count: number) => string): string {
    const before = this.#replaced.get(value);
    if (before !== undefined) return before;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const digits = createHash('sha256').update(`${kind} ${count}`).digest('hex');
    const text = standIn(digits, count);
    this.#replaced.set(value, text);
    return text;
  }
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Whether a long word is random: it mixes digits and letters of both cases, unlike slugs and names. */
function isRandom(word: string): boolean {
  return /\d/.test(word) && /[A-Z]/.test(word) && /[a-z]/.test(word);
}

function uuidOf(digits: string): string {
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(12, 15)}`,
    `8${digits.slice(15, 18)}`,
    digits.slice(18, 30),
  ].join('-');
}

/** `length` letters and digits derived from `digits`. */
function letters(digits: string, length: number): string {
  const bytes = createHash('sha512')
    .update(digits)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '');
  return bytes.padEnd(length, bytes).slice(0, length);
}
