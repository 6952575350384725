import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { isJsonArray, setMember } from './json.ts';

/** What stands in place of a secret. */
export const MASK = '***';

/** From this length on a secret is masked inside words too; a shorter one only where it stands alone. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/** Replaces every secret it knows by `***`. */
export interface Masker {
  readonly text: (value: string) => string;
  /** Masks strings, member names, and numbers that are a secret; arrays and objects keep their shape. */
  readonly object: (value: JsonObject) => JsonObject;
}

/**
 * A masker for these secrets: as they are, and as requests carry them (percent- and form-encoded, escaped in JSON, base64,
 * user and password of Basic authentication).
 */
export function createMasker(secrets: readonly string[]): Masker {
  const plain = new Set(secrets.filter((secret) => secret !== ''));
  const pattern = patternOf(plain);

  function text(value: string): string {
    if (!pattern) return value;
    const withoutBasic = value.replace(
      /\b(Basic\s+)([A-Za-z0-9+/_-]{2,}={0,2})/gi,
      (whole, scheme: string, encoded: string) => {
        const decoded = Buffer.from(encoded, 'base64').toString();
        return decoded.replace(pattern, MASK) === decoded ? whole : scheme + MASK;
      },
    );
    return withoutBasic.replace(pattern, MASK);
  }

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return plain.has(String(value)) ? MASK : value;
    if (typeof value !== 'object' || value === null) return value;
    return isJsonArray(value) ? value.map(json) : object(value);
  }

  function object(value: JsonObject): JsonObject {
    const masked = {};
    for (const [name, member] of Object.entries(value)) setMember(masked, text(name), json(member));
    return masked;
  }

  return { text, object };
}

/**
 * A masker for a connection whose secrets could not be read: any string or number may be one of them, so all are
 * masked. Texts stay: they are Fairlead's own.
 */
export const maskEverything: Masker = {
  text: (value) => value,
  object(value) {
    const masked = {};
    for (const [name, member] of Object.entries(value)) setMember(masked, name, everything(member));
    return masked;
  },
};

function everything(value: Json): Json {
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (typeof value !== 'object' || value === null) return value;
  return isJsonArray(value) ? value.map(everything) : maskEverything.object(value);
}

function patternOf(secrets: ReadonlySet<string>): RegExp | undefined {
  const forms = new Set([...secrets].flatMap(formsOf));
  if (forms.size === 0) return undefined;
  const alternatives = [...forms]
    // The longest first, so that a secret which begins with another one goes as a whole.
    .sort((a, b) => b.length - a.length)
    .map((form) =>
      form.length < MIN_LENGTH_INSIDE_WORDS
        ? `(?<![A-Za-z0-9])${escaped(form)}(?![A-Za-z0-9])`
        : escaped(form),
    );
  return new RegExp(alternatives.join('|'), 'g');
}

function formsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH_INSIDE_WORDS) return [secret];
  const bytes = Buffer.from(secret);
  // A lone surrogate cannot be percent-encoded as it stands.
  const percent = encodeURIComponent(secret.toWellFormed());
  return [
    secret,
    percent,
    percent.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
