import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { Credential } from './call.ts';

const MASK = '***';
/** Shorter values are parts of ordinary words; masking them would only garble the text. */
const MIN_SECRET_LENGTH = 4;

/** A text without any of the secrets, as they are or percent-encoded. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
    .toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/** The credential with `***` for every secret, to show what a request would look like. */
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
