import type { MessageInitShape } from '@bufbuild/protobuf';
import { validationError } from '@fairlead/errors/api-error';
import type { ProviderChoiceSchema } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { z } from 'zod';
import { MAX_INT32 } from '@fairlead/rest-kit/fields';

/** The two spellings of the choice of an auth provider, in a query or a body. */
export const providerFields = {
  authProviderId: z
    .int32()
    .min(0)
    .max(MAX_INT32)
    .optional()
    .describe(
      'Absent: the account’s default provider. 0: the connector’s own OAuth client. Otherwise: the provider with this id.',
    ),
  authProvider: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Instead of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client.',
    ),
};

type ProviderChoice = MessageInitShape<typeof ProviderChoiceSchema>;

/**
 * The choice that a caller sent; undefined means the account's default. Both spellings at once are refused, because
 * they may contradict each other (row completion.auth-providers.17).
 */
export function providerChoice(sent: {
  readonly authProviderId?: number | undefined;
  readonly authProvider?: string | undefined;
}): ProviderChoice | undefined {
  const { authProviderId, authProvider } = sent;
  if (authProviderId !== undefined && authProvider !== undefined) {
    throw validationError({ field: 'authProvider', issue: 'must not be sent together with authProviderId' });
  }
  if (authProviderId !== undefined) return choiceOfId(authProviderId);
  if (authProvider === undefined) return undefined;
  if (authProvider === 'none') return choiceOfId(0);
  if (!/^\d+$/.test(authProvider)) return { choice: { case: 'providerName', value: authProvider } };
  const id = Number(authProvider);
  if (id > MAX_INT32) throw validationError({ field: 'authProvider', issue: `must be at most ${MAX_INT32}` });
  return choiceOfId(id);
}

function choiceOfId(id: number): ProviderChoice {
  return id === 0
    ? { choice: { case: 'connector', value: true } }
    : { choice: { case: 'providerId', value: id } };
}
