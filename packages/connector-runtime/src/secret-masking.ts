import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { Credential } from './call.ts';
import { createSecretFinder } from './secret-finder.ts';
import type { SecretFinder } from './secret-finder.ts';

/** The replacement for a secret. */
export const MASK = '***';
const MASK_BYTES = Buffer.from(MASK);

/** From this length a secret is masked inside words too; a shorter one only as a word of its own. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/** The most bytes of all secrets of a call together; above it, everything counts as secret. */
export const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Creates a function that masks these secrets in a text: as they are, and JSON-, percent-, form-, base64- and
 * hex-encoded, in any spelling of these encodings and at any position in what was encoded; the user and password of
 * Basic authentication are masked as a whole. A secret that holds JSON escapes is masked without them, too. Linear in the
 * text, however many secrets there are. If the secrets are larger than MAX_SECRET_BYTES together, the whole text is masked.
 */
export function createTextMasker(secrets: readonly string[]): (text: string) => string {
  if (areTooLarge(secrets)) return () => MASK;
  const given = new Set(secrets);
  // Vendors trim: a private key often ends with a line break. They unescape as well: it is often copied out of a JSON file.
  const forms = [...given].flatMap((secret) => {
    // A JSON file may have been a text in another one.
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
  // Made when it is first used: most texts of a call are shorter than any secret.
  const maskLong = (text: string): string =>
    withoutSpans(text, (find ??= createSecretFinder(long.map((secret) => Buffer.from(secret)))));
  return (text) => {
    if (text.length < shortest) return text;
    return maskShort(maskLong(maskBasic(text, (decoded) => maskLong(decoded) !== decoded)));
  };
}

const JSON_ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/g;

/** The text that a JSON string of this content holds; a backslash that begins no escape stays. */
function unescaped(secret: string): string {
  const text = secret.replaceAll(JSON_ESCAPE, (escape) => String(JSON.parse(`"${escape}"`)));
  // White space alone is no secret: it would mask the layout of every text.
  return text.trim() === '' ? secret : text;
}

const maskers = new WeakMap<Credential, (text: string) => string>();

/** The text masker for every secret of a credential, the access token included; made once. */
export function credentialMasker(credential: Credential): (text: string) => string {
  const { secrets, accessToken } = credential;
  const known =
    maskers.get(credential) ??
    createTextMasker([...secrets, ...(accessToken === undefined ? [] : [accessToken])]);
  maskers.set(credential, known);
  return known;
}

/** Whether these secrets are larger than MAX_SECRET_BYTES together. */
export function areTooLarge(secrets: readonly string[]): boolean {
  let total = 0;
  for (const secret of new Set(secrets)) total += Buffer.byteLength(secret);
  return total > MAX_SECRET_BYTES;
}

/** Masks the credentials of Basic authentication that hold a secret. */
function maskBasic(text: string, holdsSecret: (decoded: string) => boolean): string {
  return text.replaceAll(
    /\b(Basic\s+)([A-Za-z0-9+/_-]{2,}={0,2})/gi,
    (whole: string, scheme: string, encoded: string) =>
      holdsSecret(Buffer.from(encoded, 'base64').toString()) ? scheme + MASK : whole,
  );
}

/** Masks what `find` finds; what is found side by side or overlaps gets one mask. */
function withoutSpans(text: string, find: SecretFinder): string {
  const bytes = Buffer.from(text);
  /** How many spans begin and end at each byte. */
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

/** Masks very short secrets, but only as words of their own. */
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

/** Masks all of the secrets in a text, in every form that createTextMasker knows. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return createTextMasker(secrets)(text);
}

/** The credential with `***` for every secret, for previews of requests. */
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
