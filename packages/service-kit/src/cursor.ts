import type { ApiError } from '@fairlead/errors/api-error';
import { validationError } from '@fairlead/errors/api-error';
import type { z } from 'zod';

/** Encodes `value` as a cursor, which is opaque to clients but neither secret nor signed. */
export function writeCursor(value: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decodes a cursor; throws VALIDATION_ERROR if it is invalid. */
export function readCursor<S extends z.ZodType>(form: S, cursor: string): z.output<S> {
  return readPosition(form, Buffer.from(cursor, 'base64url').toString());
}

/** Decodes the part of a cursor that is JSON text; throws VALIDATION_ERROR if it is invalid. */
export function readPosition<S extends z.ZodType>(form: S, text: string): z.output<S> {
  try {
    return form.parse(JSON.parse(text));
  } catch {
    throw invalidCursor();
  }
}

/** The VALIDATION_ERROR that names the cursor. */
export function invalidCursor(): ApiError {
  return validationError({ field: 'cursor', issue: 'is not one that this service gave' });
}
