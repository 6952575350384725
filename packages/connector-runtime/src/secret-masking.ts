import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { Credential } from './call.ts';
import { secretForms } from './secret-forms.ts';

/** The replacement for a secret. */
export const MASK = '***';

/** From this length a secret is masked inside words too; a shorter one only as a word of its own. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/**
 * Creates a function that masks these secrets in a text, in every form of secretForms and in the user and password of
 * Basic authentication.
 */
export function createTextMasker(secrets: readonly string[]): (text: string) => string {
  const pattern = patternOf(new Set(secrets.filter((secret) => secret !== '')));
  if (pattern === undefined) return (text) => text;
  return (text) =>
    text
      .replaceAll(
        /\b(Basic\s+)([A-Za-z0-9+/_-]{2,}={0,2})/gi,
        (whole: string, scheme: string, encoded: string) => {
          const decoded = Buffer.from(encoded, 'base64').toString();
          return decoded.replaceAll(pattern, MASK) === decoded ? whole : scheme + MASK;
        },
      )
      .replaceAll(pattern, MASK);
}

/** Masks all of the secrets in a text, in every form that createTextMasker knows. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return createTextMasker(secrets)(text);
}

function patternOf(secrets: ReadonlySet<string>): RegExp | undefined {
  const forms = new Set([...secrets].flatMap(formsOf));
  if (forms.size === 0) return undefined;
  // Longest first, so that a secret that begins with another one is masked as a whole.
  const alternatives = [...forms]
    .toSorted((a, b) => b.length - a.length)
    .map((form) =>
      form.length < MIN_LENGTH_INSIDE_WORDS
        ? `(?<![A-Za-z0-9])${escaped(form)}(?![A-Za-z0-9])`
        : escaped(form),
    );
  return new RegExp(alternatives.join('|'), 'g');
}

function formsOf(secret: string): string[] {
  return secret.length < MIN_LENGTH_INSIDE_WORDS ? [secret] : secretForms(secret);
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
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
