import type { AuthenticationMethod } from './model.ts';
import type { ProviderSlot } from './enumerations.ts';

/** A value that a method's auth provider may hold. */
export interface SlotDescriptor {
  readonly slot: ProviderSlot;
  /** Name of the method's field that gets its value from the slot. */
  readonly fieldName: string;
  readonly label: string;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

/** Whether accounts may create auth providers for the method: an OAuth 2 method whose connector allows it. */
export function allowsAuthProvider({ scheme }: Pick<AuthenticationMethod, 'scheme'>): boolean {
  return scheme.type === 'oauth2' && scheme.allowsAuthProvider;
}

/**
 * Whether a sign-in needs an auth provider: the connector's own client has only an id and a secret, and the method
 * requires another value without a default.
 */
export function needsAuthProvider({
  scheme,
  fields,
}: Pick<AuthenticationMethod, 'scheme' | 'fields'>): boolean {
  if (scheme.type !== 'oauth2') return false;
  const ofOwnClient = [scheme.clientIdField, scheme.clientSecretField];
  return fields.some(
    ({ name, providerSlot, isRequired, defaultValue }) =>
      providerSlot !== null && isRequired && defaultValue === null && !ofOwnClient.includes(name),
  );
}

/**
 * Whether a client can sign people in by the method: the connector's own client if it suffices, or an auth provider
 * with all required slots (`heldSlots` undefined: unknown, taken as all).
 */
export function isClientFor(
  method: Pick<AuthenticationMethod, 'scheme' | 'fields'>,
  { isOwn, heldSlots }: { readonly isOwn: boolean; readonly heldSlots?: readonly string[] | undefined },
): boolean {
  if (isOwn) return !needsAuthProvider(method);
  if (heldSlots === undefined) return true;
  return slotsOf(method).every(({ slot, isRequired }) => !isRequired || heldSlots.includes(slot));
}

/** A method's slots, in the order of its fields. */
export function slotsOf({ fields }: Pick<AuthenticationMethod, 'fields'>): readonly SlotDescriptor[] {
  return fields.flatMap(({ name, label, isPassword, maskInLogs, isRequired, providerSlot }) =>
    providerSlot === null
      ? []
      : [{ slot: providerSlot, fieldName: name, label, isSecret: isPassword || maskInLogs, isRequired }],
  );
}
