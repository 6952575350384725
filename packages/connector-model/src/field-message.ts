import { create } from '@bufbuild/protobuf';
import { FieldDescriptorSchema } from '@fairlead/contracts/catalog/v1/application_pb';
import type { FieldDescriptor as FieldMessage } from '@fairlead/contracts/catalog/v1/application_pb';
import type { FieldDescriptor } from './model.ts';
import { FIELD_TYPE_VALUES } from './proto-enums.ts';

/** The error message for a field of an authentication method. */
export function toFieldMessage(field: FieldDescriptor): FieldMessage {
  return create(FieldDescriptorSchema, {
    name: field.name,
    label: field.label,
    description: field.description,
    type: FIELD_TYPE_VALUES[field.type],
    isRequired: field.isRequired,
    isPassword: field.isPassword,
    maskInLogs: field.maskInLogs,
    options: field.options.map(({ value, label }) => ({ value, label })),
    hasDynamicOptions: field.dynamicOptions !== null,
    atSignIn: field.atSignIn,
    ...(field.pattern === null ? {} : { pattern: field.pattern }),
    ...(field.defaultValue === null
      ? {}
      : { defaultValueJson: Buffer.from(JSON.stringify(field.defaultValue)) }),
    ...(field.providerSlot === null ? {} : { providerSlot: field.providerSlot }),
  });
}
