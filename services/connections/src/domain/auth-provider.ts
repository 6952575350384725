import { textIssue } from '@fairlead/connector-model/field-value';
import { addressFields } from '@fairlead/connector-model/host-uses';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { ProviderSlot } from '@fairlead/connector-model/enumerations';
import { allowsAuthProvider, slotsOf } from '@fairlead/connector-model/provider-slots';
import type { SlotDescriptor } from '@fairlead/connector-model/provider-slots';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Secret } from '@fairlead/service-kit/secret';
import { requireMethod } from './require-method.ts';

/** An account's own OAuth client for one method of one application. Holds no secret. */
export interface AuthProvider {
  /** From 1, int32; one sequence for all accounts. */
  readonly id: number;
  readonly accountId: string;
  /** Unique within the account. */
  readonly name: string;
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** Whether it is the default of its method; a method has at most one. */
  readonly isDefault: boolean;
  readonly isEnabled: boolean;
  /** Values that are not secret, by slot. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of the secret slots with a value. */
  readonly secretSlots: readonly string[];
  /** Null: the method's scopes. */
  readonly scopes: readonly string[] | null;
  /** The vendor's error text when it refused the client; null since the client was last accepted or changed. */
  readonly lastError: string | null;
  /** Changes whenever a slot that is part of an address changes; absent: none ever did. */
  readonly addressRevision?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An auth provider with its secret values, by slot. */
export interface AuthProviderWithSecrets {
  readonly provider: AuthProvider;
  readonly secrets: Secret<SlotValues>;
}

/** A slot with its value, for display. */
export interface SlotRecord {
  readonly slot: string;
  readonly label: string;
  readonly isSecret: boolean;
  readonly hasValue: boolean;
  /** Null for a secret and for an empty slot. */
  readonly value: string | null;
}

/** An auth provider with the slots of its method. */
export interface AuthProviderWithSlots extends AuthProvider {
  readonly slots: readonly SlotRecord[];
}

/** Values by slot from a request; an empty value removes the slot's value. */
export type SlotValues = Readonly<Record<string, string>>;

/** Values by slot. */
export type ValuesBySlot = Readonly<Partial<Record<ProviderSlot, string>>>;

/** Values to store, plain and secret ones; `cleared` are the slots whose values are removed. */
export interface SlotChanges {
  readonly plain: ValuesBySlot;
  readonly secret: ValuesBySlot;
  readonly cleared: readonly string[];
}

/** Whether a caller with these permissions may use the account's auth providers. */
export function mayUseProviders(permissions: readonly string[]): boolean {
  return permissions.includes('authProviders.use');
}

/** Maximum number of auth providers per account. */
export const MAX_AUTH_PROVIDERS = 1_000;
const NAME_MAX_CHARACTERS = 200;
const VALUE_MAX_CHARACTERS = 16_384;

/**
 * Throws VALIDATION_ERROR for a name of invalid length, INVALID_AUTH_PROVIDER for one that a provider choice would read as something else.
 */
export function checkProviderName(name: string): void {
  const length = Array.from(name).length;
  if (length < 1 || length > NAME_MAX_CHARACTERS || name.trim() === '') {
    throw validationError({ field: 'name', issue: `must have 1 to ${NAME_MAX_CHARACTERS} characters` });
  }
  if (name !== 'none' && !/^\d+$/.test(name)) return;
  throw invalidProvider('name', 'must not be "none" or consist of digits, which select other clients');
}

/** The method; VALIDATION_ERROR if the application does not have it, INVALID_AUTH_PROVIDER if it takes no auth providers. */
export function requireProviderMethod(
  head: Pick<ConnectorHead, 'authenticationMethods' | 'name'>,
  authenticationId: number,
): AuthenticationMethod {
  const method = requireMethod(head, authenticationId);
  if (allowsAuthProvider(method)) return method;
  throw invalidProvider(
    'authenticationId',
    `${method.authenticationName} of ${head.name} does not take auth providers`,
  );
}

/**
 * Splits `values` into changes. INVALID_AUTH_PROVIDER names every slot that the method does not have; VALIDATION_ERROR every value that is
 * too long or invalid for its field.
 */
export function slotChanges(method: AuthenticationMethod, values: SlotValues): SlotChanges {
  const secretBySlot = new Map(slotsOf(method).map(({ slot, isSecret }) => [slot as string, isSecret]));
  const slots = Object.entries(values);
  const unknown = slots.filter(([slot]) => !secretBySlot.has(slot)).map(([slot]) => slot);
  if (unknown.length > 0) throw unknownSlots(method, [...secretBySlot.keys()], unknown);
  const tooLong = slots.filter(([, value]) => value.length > VALUE_MAX_CHARACTERS);
  if (tooLong.length > 0) {
    const issue = `must have at most ${VALUE_MAX_CHARACTERS} characters`;
    throw validationError(...tooLong.map(([slot]) => ({ field: `values.${slot}`, issue })));
  }
  const filled = slots.filter(([, value]) => value !== '');
  const wrong = filled.flatMap(([slot, value]) => {
    const issue = slotIssue(method, slot, value);
    return issue === undefined ? [] : [{ field: `values.${slot}`, issue }];
  });
  if (wrong.length > 0) throw validationError(...wrong);
  return {
    plain: Object.fromEntries(filled.filter(([slot]) => secretBySlot.get(slot) === false)),
    secret: Object.fromEntries(filled.filter(([slot]) => secretBySlot.get(slot) === true)),
    cleared: slots.filter(([, value]) => value === '').map(([slot]) => slot),
  };
}

/** Why this value is invalid for the field that uses the slot; undefined if it is valid. */
export function slotIssue(
  { fields }: Pick<AuthenticationMethod, 'fields'>,
  slot: string,
  value: string,
): string | undefined {
  const field = fields.find(({ providerSlot }) => providerSlot === slot);
  return field && textIssue(field, value);
}

/** Throws INVALID_AUTH_PROVIDER naming every required slot of the method for which `isHeld` is false. */
export function requireSlots(
  method: AuthenticationMethod,
  isHeld: (descriptor: SlotDescriptor) => boolean,
): void {
  const missing = slotsOf(method).filter((descriptor) => descriptor.isRequired && !isHeld(descriptor));
  if (missing.length === 0) return;
  const details = missing.map(({ slot, label }) => ({
    field: `values.${slot}`,
    issue: `is required (${label})`,
  }));
  const names = missing.map(({ slot, label }) => `${slot} (${label})`).join(', ');
  throw new ApiError('INVALID_AUTH_PROVIDER', `The auth provider lacks ${names}.`, { details });
}

/** The slots used in addresses whose values change. */
export function movedSlots(
  head: Pick<ConnectorHead, 'baseUrl' | 'authenticationMethods'>,
  method: AuthenticationMethod,
  existing: Pick<AuthProvider, 'values' | 'secretSlots'>,
  values: SlotValues,
): readonly SlotDescriptor[] {
  const inAddresses = addressFields(head, method);
  const addresses = slotsOf(method).filter(({ fieldName }) => inAddresses.has(fieldName));
  return addresses.filter(({ slot }) => {
    if (!Object.hasOwn(values, slot)) return false;
    // Secret values cannot be compared here, so each counts as changed.
    return existing.secretSlots.includes(slot) || (values[slot] ?? '') !== (existing.values[slot] ?? '');
  });
}

/**
 * Throws INVALID_AUTH_PROVIDER for changes that lead to another address without sending every secret again. Nobody can read the secrets, so
 * whoever changes the address must prove to know them. An empty value removes a secret.
 */
export function requireSecretsAgain(
  method: AuthenticationMethod,
  existing: Pick<AuthProvider, 'values' | 'secretSlots'>,
  values: SlotValues,
  moved: readonly SlotDescriptor[],
): void {
  if (moved.length === 0) return;
  const slots = filledSlots(existing);
  const staying = slotsOf(method).filter(
    ({ slot, isSecret }) =>
      (isSecret || existing.secretSlots.includes(slot)) && slots.has(slot) && !Object.hasOwn(values, slot),
  );
  if (staying.length === 0) return;
  const because = moved.map(({ slot, label }) => `${slot} (${label})`).join(', ');
  const details = staying.map(({ slot, label }) => ({
    field: `values.${slot}`,
    issue: `must be sent again (${label})`,
  }));
  const names = staying.map(({ slot, label }) => `${slot} (${label})`).join(', ');
  throw new ApiError(
    'INVALID_AUTH_PROVIDER',
    `A change of ${because} needs the secrets again, because they are sent there: ${names}.`,
    { details },
  );
}

/** Names of the slots with a value. */
function filledSlots({ values, secretSlots }: Pick<AuthProvider, 'values' | 'secretSlots'>): Set<string> {
  return new Set([...Object.keys(values), ...secretSlots]);
}

/** A provider for display; if its method no longer exists, only the slots with a value. */
export function showProvider(
  provider: AuthProvider,
  method: AuthenticationMethod | undefined,
): AuthProviderWithSlots {
  const filled = filledSlots(provider);
  const slots =
    method === undefined
      ? [...filled].map((slot) => ({ slot, label: slot, isSecret: true }))
      : slotsOf(method).map(({ slot, label, isSecret }) => ({ slot, label, isSecret }));
  return {
    ...provider,
    slots: slots.map((slot) => ({
      ...slot,
      hasValue: filled.has(slot.slot),
      value: slot.isSecret ? null : (provider.values[slot.slot] ?? null),
    })),
  };
}

/** The CONFLICT for a name that another provider of the account has. */
export function nameTaken(name: string): ApiError {
  return new ApiError('CONFLICT', `The account has an auth provider named "${name}" already.`);
}

/** The CONFLICT for an account with the maximum number of auth providers. */
export function tooManyProviders(): ApiError {
  return new ApiError('CONFLICT', `An account has at most ${MAX_AUTH_PROVIDERS} auth providers.`);
}

/** The INVALID_AUTH_PROVIDER error for one member of the request. */
function invalidProvider(field: string, issue: string): ApiError {
  return new ApiError('INVALID_AUTH_PROVIDER', `The auth provider is not valid. ${field}: ${issue}`, {
    details: [{ field, issue }],
  });
}

function unknownSlots(
  method: AuthenticationMethod,
  slots: readonly string[],
  unknown: readonly string[],
): ApiError {
  const issue = `is not a slot of ${method.authenticationName}, which takes ${slots.join(', ')}`;
  const details = unknown.map((slot) => ({ field: `values.${slot}`, issue }));
  return new ApiError(
    'INVALID_AUTH_PROVIDER',
    `The auth provider is not valid. ${details[0]?.field ?? ''} ${issue}`,
    {
      details,
    },
  );
}
