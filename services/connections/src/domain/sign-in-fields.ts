import { hostValueIssue, valueIssue } from '@fairlead/connector-model/field-value';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, ConnectorHead, FieldDescriptor } from '@fairlead/connector-model/model';
import { valueAt } from '@fairlead/connector-runtime/json-pointer';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { validationError } from '@fairlead/errors/api-error';
import { Secret } from '@fairlead/service-kit/secret';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { FieldValues } from './credential.ts';
import { checkDirectFields, splitSecrets } from './fields.ts';

/** Longest value that may become part of a vendor's address. */
const MAX_VALUE_LENGTH = 2_048;

/** The application and method that the fields belong to. */
export interface MethodOf {
  readonly head: Pick<ConnectorHead, 'name' | 'baseUrl' | 'authenticationMethods'>;
  readonly method: AuthenticationMethod;
}

/**
 * The given values of fields with `atSignIn`, with defaults. VALIDATION_ERROR names every unknown, missing or invalid field;
 * INVALID_ENUM_VALUE if all errors are unknown choices.
 */
export function checkSignInFields({ head, method }: MethodOf, sentFields: LazyObject): FieldValues {
  const { authenticationName } = method;
  const form = { authenticationName, fields: method.fields.filter(({ atSignIn }) => atSignIn) };
  const values = checkDirectFields(form, sentFields, new Set());
  const issues = Object.entries(values).flatMap(([name, value]): readonly FieldIssue[] => {
    const issue = addressIssue({ head, method }, name, value);
    return issue === undefined ? [] : [{ field: `fields.${name}`, issue }];
  });
  if (issues.length > 0) throw validationError(...issues);
  return heldValues(method, values);
}

/** `values` with defaults for the auth provider's fields that the client in use does not fill. */
export function withSlotDefaults(
  { fields }: AuthenticationMethod,
  values: FieldValues,
  heldByClient: JsonObject,
): FieldValues {
  const defaults = fields.flatMap(({ name, providerSlot, defaultValue }): [string, Json][] =>
    providerSlot === null || defaultValue === null || Object.hasOwn(heldByClient, name)
      ? []
      : [[name, defaultValue]],
  );
  // Secret fields have no default.
  return { ...values, plain: { ...Object.fromEntries(defaults), ...values.plain } };
}

/** Values captured from the vendor; `faults` say what is missing or invalid. */
export interface Capture {
  readonly values: FieldValues;
  readonly faults: readonly string[];
}

/** Captures the values in the callback of a sign-in. A repeated parameter counts as absent. */
export function captureCallback(of: MethodOf, parameters: URLSearchParams): Capture {
  return capture(of, ({ capturedFrom }) => {
    if (capturedFrom?.type !== 'callback') return { isHere: false };
    const [value, ...repeated] = parameters.getAll(capturedFrom.parameter);
    return { isHere: true, value: repeated.length === 0 ? value : undefined };
  });
}

/** Captures the values in a token response. */
export function captureTokenResponse(of: MethodOf, response: JsonObject): Capture {
  return capture(of, ({ capturedFrom }) =>
    capturedFrom?.type === 'tokenResponse'
      ? { isHere: true, value: valueAt(response, capturedFrom.pointer) }
      : { isHere: false },
  );
}

/** Merges two sets of values; `later` wins. */
export function mergeValues(former: FieldValues, later: FieldValues): FieldValues {
  return {
    plain: { ...former.plain, ...later.plain },
    secret: new Secret({ ...former.secret.reveal(), ...later.secret.reveal() }),
  };
}

/** All values, secret ones included. */
export function openedValues({ plain, secret }: FieldValues): JsonObject {
  return { ...plain, ...secret.reveal() };
}

function capture(
  of: MethodOf,
  read: (field: FieldDescriptor) => { readonly isHere: boolean; readonly value?: Json | undefined },
): Capture {
  const values: Record<string, Json> = {};
  const faults: string[] = [];
  for (const field of of.method.fields) {
    const { isHere, value = null } = read(field);
    if (!isHere) continue;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (text === null || text === '') {
      if (field.isRequired) faults.push(`${of.head.name} did not send "${field.label}"`);
    } else if (valueIssue(field, text) === undefined && addressIssue(of, field.name, text) === undefined) {
      values[field.name] = text;
    } else {
      faults.push(`${of.head.name} sent an invalid value for "${field.label}"`);
    }
  }
  return { values: heldValues(of.method, values), faults };
}

function addressIssue({ head, method }: MethodOf, name: string, value: Json): string | undefined {
  if (typeof value === 'string' && value.length > MAX_VALUE_LENGTH) {
    return `must have at most ${MAX_VALUE_LENGTH} characters`;
  }
  return hostValueIssue(head, method, name, value);
}

function heldValues(method: AuthenticationMethod, values: JsonObject): FieldValues {
  const { plain, secret } = splitSecrets(method, values);
  return { plain, secret: new Secret(secret) };
}
