import { createHmac, randomBytes } from 'node:crypto';
import type { AllowedServer } from '@fairlead/connector-model/packages/allowed-package';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { renderText } from '../templates.ts';
import type { ServerStart } from './package-job.ts';

/** Environment and arguments of a server. */
type Settings = Pick<ServerStart, 'environment' | 'arguments'>;

/** Unknown to everybody, so a digest does not help to guess a credential. */
const DIGEST_KEY = randomBytes(32);

/** The settings of a server for a connection with these fields. */
export function settingsOf({ environment, arguments: values }: AllowedServer, field: JsonObject): Settings {
  const textsOf = (template: string): readonly string[] => {
    const text = renderText(template, { field });
    return text === undefined ? [] : [text];
  };
  const variables = Object.entries(environment).flatMap(([name, template]) =>
    textsOf(template).map((text) => [name, text] as const),
  );
  return { environment: Object.fromEntries(variables), arguments: values.flatMap(textsOf) };
}

/** Values for the required fields of a server that nobody has connected: many servers do not start without their key. */
export function exampleFields({ fields }: AllowedServer): JsonObject {
  return Object.fromEntries(
    fields.flatMap((field) => (field.isRequired ? [[field.name, exampleOf(field)] as const] : [])),
  );
}

/** A digest that differs if the settings differ. Calls with different settings run in different processes. */
export function digestOf({ environment, arguments: values }: Settings): string {
  return createHmac('sha256', DIGEST_KEY)
    .update(JSON.stringify([environment, values]))
    .digest('base64url');
}

function exampleOf({ defaultValue, options, type }: FieldDescriptor): Json {
  const [option] = options;
  if (defaultValue !== null) return defaultValue;
  if (option !== undefined) return option.value;
  switch (type) {
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return 'example';
  }
}
