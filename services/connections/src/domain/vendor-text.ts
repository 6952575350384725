import { cutText } from '@fairlead/connector-runtime/cut-text';
import { maskSecrets } from '@fairlead/connector-runtime/secret-masking';
import type { FieldOptions } from './connection.ts';

const MAX_LENGTH = 1_000;

/** Makes a vendor's text safe to show: masks every one of `secrets`, drops control characters, caps the length. */
export function vendorText(text: string, secrets: readonly string[]): string {
  // Mask first: a cut or a dropped character in the middle of a secret would hide it from the mask.
  const masked = maskSecrets(text, secrets);
  const printable = masked.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return printable.length > MAX_LENGTH ? `${cutText(printable, MAX_LENGTH)}…` : printable.toWellFormed();
}

/**
 * The options that a vendor discovered, without secrets: they are stored and shown. Labels are masked; a value that holds a
 * secret is left out, because a masked one could not be sent back.
 */
export function maskedOptions(options: FieldOptions, mask: (text: string) => string): FieldOptions {
  return Object.fromEntries(
    Object.entries(options).map(([field, labels]) => [
      field,
      Object.fromEntries(
        Object.entries(labels).flatMap(([value, label]) =>
          mask(value) === value ? [[value, mask(label)] as const] : [],
        ),
      ),
    ]),
  );
}
