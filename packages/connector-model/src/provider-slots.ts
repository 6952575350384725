import type { AuthenticationMethod, ProviderSlot } from './model.ts';

/** A value that an auth provider of a method may hold. */
export interface SlotDescriptor {
  readonly slot: ProviderSlot;
  /** Name of the field of the method that has its value from the slot. */
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
 * Whether a sign-in needs an auth provider, because the connector's own client, which holds an id and a secret, lacks a
 * value that is required and has no default.
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
 * Whether a client can sign people in by the method: the connector's own, where that is enough, or an auth provider that holds every
 * required slot (`heldSlots` undefined: not known, taken as all).
 */
export function isClientFor(
  method: Pick<AuthenticationMethod, 'scheme' | 'fields'>,
  { isOwn, heldSlots }: { readonly isOwn: boolean; readonly heldSlots?: readonly string[] | undefined },
): boolean {
  if (isOwn) return !needsAuthProvider(method);
  if (heldSlots === undefined) return true;
  return slotsOf(method).every(({ slot, isRequired }) => !isRequired || heldSlots.includes(slot));
}

/** The slots of a method, in the order of its fields. */
export function slotsOf({ fields }: Pick<AuthenticationMethod, 'fields'>): readonly SlotDescriptor[] {
  return fields.flatMap(({ name, label, isPassword, maskInLogs, isRequired, providerSlot }) =>
    providerSlot === null
      ? []
      : [{ slot: providerSlot, fieldName: name, label, isSecret: isPassword || maskInLogs, isRequired }],
  );
}
