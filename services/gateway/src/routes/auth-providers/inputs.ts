import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import { z } from 'zod';
import { jsonObject, recordId, text } from '@fairlead/rest-kit/fields';

/** More than there are slots; the service refuses unknown ones. */
const MAX_VALUES = 50;

/** The path parameters of one auth provider. */
export const authProviderParams = z.object({ id: recordId });

export const authProviderName = text(1, 200);

/** OAuth scopes; null means those of the method. */
export const scopes = z
  .array(text(1, 500))
  .max(100)
  .nullable()
  .describe('OAuth scopes to ask for. Null: the scopes of the method.');

/** Values by slot. */
export const slotValues = jsonObject
  .superRefine((values, context) => {
    const entries = Object.entries(values);
    if (entries.length > MAX_VALUES) {
      context.addIssue({ code: 'custom', message: `must have at most ${String(MAX_VALUES)} members` });
      return;
    }
    for (const [slot, value] of entries) {
      if (typeof value !== 'string')
        context.addIssue({ code: 'custom', path: [slot], message: 'must be a string' });
    }
  })
  .transform((values) => values as Record<string, string>) // superRefine has checked each value
  .meta({
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: MAX_VALUES,
    description: 'Values by slot. GET /v1/auth-providers/sources lists the slots of each method.',
  });

const REFUSED_NAMES = new Set(['clientId', 'clientSecret']);

/**
 * Throws INVALID_AUTH_PROVIDER if `clientId` or `clientSecret` is anywhere in the body: a client that expects them to
 * exist would otherwise store a provider without its values.
 */
export function refuseClientNames(body: JsonObject): void {
  if (!holdsRefusedName(body)) return;
  throw new ApiError(
    'INVALID_AUTH_PROVIDER',
    'clientId and clientSecret do not exist. Send the values by slot, in `values`; GET /v1/auth-providers/sources lists the slots.',
  );
}

function holdsRefusedName(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsRefusedName);
  return Object.entries(value).some(([name, member]) => REFUSED_NAMES.has(name) || holdsRefusedName(member));
}
