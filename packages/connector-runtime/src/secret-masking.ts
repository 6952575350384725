import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { Credential } from './call.ts';
import { createSecretFinder } from './secret-finder.ts';
import type { SecretFinder } from './secret-finder.ts';

/** Replaces a secret. */
export const MASK = '***';
const MASK_BYTES = Buffer.from(MASK);

/** Minimum length of a secret that is masked inside words; a shorter one is masked only as a separate word. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/** Maximum total bytes of a call's secrets; above it, everything counts as secret. */
export const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Creates a function that masks these secrets in a text: plain, and JSON-, percent-, form-, base64- and hex-encoded,
 * in any spelling and at any offset. In Basic authentication, user and password are masked together. A secret with
 * JSON escapes is also masked in its unescaped form. The cost is linear in the text, whatever the number of secrets.
 * If the secrets exceed MAX_SECRET_BYTES together, the whole text is masked.
 */
export function createTextMasker(secrets: readonly string[]): (text: string) => string {
  if (areTooLarge(secrets)) return () => MASK;
  const texts = new Set(secrets);
  // Vendors trim secrets (a private key often ends with a line break) and unescape them (a key is often copied out of
  // a JSON file).
  const forms = [...texts].flatMap((secret) => {
    // The JSON file may itself have been a string in JSON.
    const once = unescaped(secret);
    return [secret, once, unescaped(once)];
  });
  const known = [...new Set(forms.flatMap((form) => [form, form.trim()]))].filter((form) => form !== '');
  if (known.length === 0) return (text) => text;
  const shortest = Math.min(...known.map(({ length }) => length));
  const maskShort = createShortMasker(known.filter(({ length }) => length < MIN_LENGTH_INSIDE_WORDS));
  const long = known.filter(({ length }) => length >= MIN_LENGTH_INSIDE_WORDS);
  if (long.length === 0) return maskShort;
  let find: SecretFinder | undefined;
  // Created on first use, because most texts of a call are shorter than any secret.
  const maskLong = (text: string): string =>
    withoutSpans(text, (find ??= createSecretFinder(long.map((secret) => Buffer.from(secret)))));
  return (text) => {
    if (text.length < shortest) return text;
    return maskShort(maskLong(maskBasic(text, (decoded) => maskLong(decoded) !== decoded)));
  };
}

const JSON_ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/g;

/** Unescapes the content of a JSON string; a backslash that starts no escape stays. */
function unescaped(secret: string): string {
  const text = secret.replaceAll(JSON_ESCAPE, (escape) => String(JSON.parse(`"${escape}"`)));
  // White space alone does not count as a secret: it would mask the layout of every text.
  return text.trim() === '' ? secret : text;
}

const maskers = new WeakMap<Credential, (text: string) => string>();

/** The text masker for all secrets of a credential, including the access token; created once. */
export function credentialMasker(credential: Credential): (text: string) => string {
  const { secrets, accessToken } = credential;
  const known =
    maskers.get(credential) ??
    createTextMasker([...secrets, ...(accessToken === undefined ? [] : [accessToken])]);
  maskers.set(credential, known);
  return known;
}

/** Whether these secrets exceed MAX_SECRET_BYTES together. */
export function areTooLarge(secrets: readonly string[]): boolean {
  let total = 0;
  for (const secret of new Set(secrets)) total += Buffer.byteLength(secret);
  return total > MAX_SECRET_BYTES;
}

/** Masks Basic authentication credentials that contain a secret. */
function maskBasic(text: string, holdsSecret: (decoded: string) => boolean): string {
  return text.replaceAll(
    /\b(Basic\s+)([A-Za-z0-9+/_-]{2,}={0,2})/gi,
    (whole: string, scheme: string, encoded: string) =>
      holdsSecret(Buffer.from(encoded, 'base64').toString()) ? scheme + MASK : whole,
  );
}

/** Masks the ranges that `find` reports; adjacent and overlapping ranges get one mask. */
function withoutSpans(text: string, find: SecretFinder): string {
  const bytes = Buffer.from(text);
  /** The number of ranges that start, minus those that end, at each byte. */
  let changes: Int32Array | undefined;
  find(bytes, (start, end) => {
    changes ??= new Int32Array(bytes.length + 1);
    changes[start] = (changes[start] ?? 0) + 1;
    changes[end] = (changes[end] ?? 0) - 1;
  });
  if (changes === undefined) return text;
  const kept: Uint8Array[] = [];
  let open = 0;
  let from = 0;
  for (const [at, change] of changes.entries()) {
    if (change === 0) continue;
    const before = open;
    open += change;
    if (before === 0 && open > 0) kept.push(bytes.subarray(from, at), MASK_BYTES);
    if (open === 0) from = at;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept).toString();
}

/** Masks very short secrets, but only as separate words. */
function createShortMasker(secrets: readonly string[]): (text: string) => string {
  if (secrets.length === 0) return (text) => text;
  const known = new Set(secrets);
  const isWord = (character: string | undefined): boolean =>
    character !== undefined && /^[A-Za-z0-9]$/.test(character);
  return (text) => {
    const kept: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (isWord(text[at - 1])) continue;
      for (let length = MIN_LENGTH_INSIDE_WORDS - 1; length > 0; length -= 1) {
        if (!known.has(text.slice(at, at + length)) || isWord(text[at + length])) continue;
        kept.push(text.slice(from, at), MASK);
        from = at + length;
        at = from - 1;
        break;
      }
    }
    return from === 0 ? text : kept.join('') + text.slice(from);
  };
}

/** Masks all of the secrets in a text, in every encoding that createTextMasker lists. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return createTextMasker(secrets)(text);
}

/** The credential with all secrets replaced by `***`, for previews of requests. */
export function maskCredential(method: AuthenticationMethod, credential: Credential): Credential {
  const secretNames = new Set(
    method.fields.filter((field) => field.isPassword || field.maskInLogs).map((field) => field.name),
  );
  const fields = Object.fromEntries(
    Object.entries(credential.fields).map(([name, value]) => {
      const isSecret =
        secretNames.has(name) || (typeof value === 'string' && credential.secrets.includes(value));
      return [name, isSecret ? MASK : value];
    }),
  );
  const { accessToken, ...rest } = credential;
  return { ...rest, fields, ...(accessToken === undefined ? {} : { accessToken: MASK }) };
}
