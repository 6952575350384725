import { cutText } from '@fairlead/connector-runtime/cut-text';
import { maskSecrets } from '@fairlead/connector-runtime/secret-masking';
import type { FieldOptions } from './connection.ts';

const MAX_LENGTH = 1_000;

/** Makes a vendor's text safe to display: masks each of `secrets`, removes control characters, limits the length. */
export function vendorText(text: string, secrets: readonly string[]): string {
  // Mask first: cutting or removing a character within a secret would prevent the match.
  const masked = maskSecrets(text, secrets);
  const printable = masked.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return printable.length > MAX_LENGTH ? `${cutText(printable, MAX_LENGTH)}…` : printable.toWellFormed();
}

/**
 * The options that a vendor listed, safe to store and display. Secrets in labels are masked; a value that contains a secret is omitted,
 * because a masked value could not be sent back.
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
