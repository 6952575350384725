import { cutText } from '@fairlead/connector-runtime/cut-text';
import { maskSecrets } from '@fairlead/connector-runtime/secret-masking';

const MAX_LENGTH = 1_000;

/** Makes a vendor's text safe to show: masks every one of `secrets`, drops control characters, caps the length. */
export function vendorText(text: string, secrets: readonly string[]): string {
  // Mask first: a cut or a dropped character in the middle of a secret would hide it from the mask.
  const masked = maskSecrets(text, secrets);
  const printable = masked.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return printable.length > MAX_LENGTH ? `${cutText(printable, MAX_LENGTH)}…` : printable.toWellFormed();
}
