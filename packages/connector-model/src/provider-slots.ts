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

/** The slots of a method, in the order of its fields. */
export function slotsOf({ fields }: Pick<AuthenticationMethod, 'fields'>): readonly SlotDescriptor[] {
  return fields.flatMap(({ name, label, isPassword, maskInLogs, isRequired, providerSlot }) =>
    providerSlot === null
      ? []
      : [{ slot: providerSlot, fieldName: name, label, isSecret: isPassword || maskInLogs, isRequired }],
  );
}
