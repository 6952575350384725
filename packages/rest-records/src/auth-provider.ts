import type { AuthProviderSource } from '@fairlead/contracts/catalog/v1/application_service_pb';
import type { AuthProvider } from '@fairlead/contracts/connections/v1/auth_provider_pb';
import type { UsableAuthProvider } from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { presentTime } from './values.ts';

const slot = z.string().describe('Key1 to Key10, ApiUser, ApiPassword or BaseUrl.');

const identity = {
  id: z.int32(),
  name: z.string(),
  applicationSlug: z.string(),
  authenticationId: z.int32(),
  isDefault: z.boolean().describe('It is used where no auth provider is named.'),
};

/** An auth provider, its secrets left out. */
export const authProviderRecord = z
  .strictObject({
    ...identity,
    isEnabled: z.boolean(),
    values: z.array(
      z
        .strictObject({
          slot,
          label: z.string(),
          isSecret: z.boolean(),
          hasValue: z.boolean(),
          value: z.string().nullable().describe('Null for a secret, and where there is no value.'),
        })
        .meta({ id: 'AuthProviderValue' }),
    ),
    scopes: z.array(z.string()).nullable().describe('Null: the scopes of the method.'),
    lastError: z
      .string()
      .nullable()
      .describe(
        'What the vendor said when it last refused the client; null since it was accepted or changed.',
      ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'AuthProvider' });

/** An auth provider as callers see it who may only use it. */
export const usableAuthProvider = z.strictObject(identity).meta({ id: 'UsableAuthProvider' });

/** An application with the methods that take auth providers. */
export const authProviderSource = z
  .strictObject({
    applicationSlug: z.string(),
    applicationName: z.string(),
    methods: z.array(
      z
        .strictObject({
          authenticationId: z.int32(),
          authenticationName: z.string(),
          slots: z.array(
            z
              .strictObject({ slot, label: z.string(), isSecret: z.boolean(), isRequired: z.boolean() })
              .meta({ id: 'AuthProviderSlot' }),
          ),
        })
        .meta({ id: 'AuthProviderMethod' }),
    ),
  })
  .meta({ id: 'AuthProviderSource' });

export function presentAuthProvider(provider: AuthProvider): z.output<typeof authProviderRecord> {
  return {
    ...presentUsableAuthProvider(provider),
    isEnabled: provider.isEnabled,
    values: provider.values.map(({ slot, label, isSecret, hasValue, value }) => ({
      slot,
      label,
      isSecret,
      hasValue,
      value: value ?? null,
    })),
    scopes: provider.scopes?.scopes ?? null,
    lastError: provider.lastError ?? null,
    createdAt: presentTime(provider.createdAt),
    updatedAt: presentTime(provider.updatedAt),
  };
}

/** An auth provider without its values. */
export function presentUsableAuthProvider({
  id,
  name,
  applicationSlug,
  authenticationId,
  isDefault,
}: Omit<UsableAuthProvider, '$typeName'>): z.output<typeof usableAuthProvider> {
  return { id, name, applicationSlug, authenticationId, isDefault };
}

/** An application with its methods and their slots. */
export function presentAuthProviderSource({
  applicationSlug,
  applicationName,
  methods,
}: AuthProviderSource): z.output<typeof authProviderSource> {
  return {
    applicationSlug,
    applicationName,
    methods: methods.map(({ authenticationId, authenticationName, slots }) => ({
      authenticationId,
      authenticationName,
      slots: slots.map(({ slot, label, isSecret, isRequired }) => ({ slot, label, isSecret, isRequired })),
    })),
  };
}
