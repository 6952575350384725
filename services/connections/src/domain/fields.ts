import { valueIssue } from '@fairlead/connector-model/field-value';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, FieldDescriptor } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { isJsonText, jsonBytes, LazyJson, parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { FieldOptions } from './connection.ts';

/** Set by the server, and ignored in requests unless the method has a field with that name. Source: row connections-and-sign-in.11. */
const SERVER_DERIVED = new Set(['ApiKey', 'RefreshToken']);
const REFUSED = 'ExternalOrgId';
const MAX_ISSUES = 100;
/** Largest JSON of a plain value, because lists show it. Secrets are only limited by the request body. */
const PLAIN_MAX_BYTES = 16 * 1024;

/** Field values, plain and secret ones. */
export interface SplitFields {
  readonly plain: JsonObject;
  readonly secret: JsonObject;
}

/** Throws INVALID_FIELD if `values` names a field that callers can set for no method. */
export function refuseReservedFields(values: LazyObject): void {
  if (!Object.hasOwn(values, REFUSED)) return;
  throw new ApiError(
    'INVALID_FIELD',
    `fields.${REFUSED} cannot be set: the server derives it. Leave it out.`,
    {
      details: [{ field: `fields.${REFUSED}`, issue: 'is derived by the server and cannot be sent' }],
    },
  );
}

/**
 * Returns the values that a method without a sign-in saves, with defaults filled in; null counts as absent. Throws
 * VALIDATION_ERROR naming every unknown, missing or ill-typed field, or INVALID_ENUM_VALUE if the only errors are
 * choices that a field does not offer.
 * @param heldElsewhere fields whose values the OAuth client in use holds; they are neither required nor saved
 */
export function checkDirectFields(
  method: Pick<AuthenticationMethod, 'fields' | 'authenticationName'>,
  sentFields: LazyObject,
  heldElsewhere: ReadonlySet<string>,
): JsonObject {
  const issues: FieldIssue[] = [];
  // Callers cannot set values that the vendor sends.
  const settable = method.fields.filter(({ capturedFrom }) => capturedFrom === null);
  const known = new Set(settable.map(({ name }) => name));
  const names = known.size === 0 ? 'none' : [...known].join(', ');
  for (const name of Object.keys(sentFields)) {
    if (!known.has(name) && !SERVER_DERIVED.has(name)) {
      issues.push({
        field: `fields.${name}`,
        issue: `is not a field of the method ${method.authenticationName}, which has ${names}`,
      });
    }
  }
  let wrongChoices = 0;
  const values: Record<string, Json> = {};
  for (const descriptor of settable) {
    const { name } = descriptor;
    if (heldElsewhere.has(name)) continue;
    const value = (Object.hasOwn(sentFields, name) ? sentFields[name] : null) ?? descriptor.defaultValue;
    if (value === null || (value === '' && descriptor.isRequired)) {
      if (descriptor.isRequired) issues.push({ field: `fields.${name}`, issue: 'is required' });
      continue;
    }
    // Objects and arrays need not be parsed: their type check does not look inside.
    const read = value instanceof LazyJson && !isJsonText(value) ? {} : parsed(value);
    const issue = valueIssue(descriptor, read) ?? (isSecret(descriptor) ? undefined : sizeIssue(value));
    if (issue === undefined) values[name] = parsed(value);
    else issues.push({ field: `fields.${name}`, issue });
    if (issue !== undefined && descriptor.type === 'select') wrongChoices += 1;
  }
  if (issues.length > 0) throw refusalOf(issues, wrongChoices === issues.length);
  return values;
}

function refusalOf(issues: readonly FieldIssue[], isWrongChoice: boolean): ApiError {
  // Lists only the first ones; a body may have hundreds of thousands of wrong names.
  const details = issues.slice(0, MAX_ISSUES);
  if (!isWrongChoice) return validationError(...details);
  const text = details.map(({ field, issue }) => `${field} ${issue}.`).join(' ');
  return new ApiError('INVALID_ENUM_VALUE', text, { details });
}

/**
 * Returns the choices to save for a sign-in method: for each field in `options` the given key, or else the first one. Other names in
 * `given` are ignored. Throws VALIDATION_ERROR naming each field whose value is not a key.
 */
export function chooseOptionFields(options: FieldOptions, sentFields: LazyObject): JsonObject {
  const issues: FieldIssue[] = [];
  const values: Record<string, Json> = {};
  for (const [name, labels] of Object.entries(options)) {
    const keys = Object.keys(labels);
    const choice = (Object.hasOwn(sentFields, name) ? sentFields[name] : null) ?? keys[0];
    if (choice === undefined) continue;
    const isOffered = typeof choice === 'string' && Object.hasOwn(labels, choice);
    const issue = isOffered ? sizeIssue(choice) : `must be one of ${listed(keys)}`;
    if (isOffered && issue === undefined) values[name] = choice;
    else if (issue !== undefined) issues.push({ field: `fields.${name}`, issue });
  }
  if (issues.length > 0) throw validationError(...issues);
  return values;
}

/** The former choices that are still valid in `options`, to be kept when a sign-in is renewed. */
export function stillValid(options: FieldOptions, chosen: JsonObject): JsonObject {
  const valid = Object.entries(chosen).filter(
    ([name, value]) => typeof value === 'string' && Object.hasOwn(options[name] ?? {}, value),
  );
  return Object.fromEntries(valid);
}

/** Splits checked values into plain ones and secret ones. */
export function splitSecrets(method: Pick<AuthenticationMethod, 'fields'>, values: JsonObject): SplitFields {
  const secretNames = new Set(method.fields.filter(isSecret).map(({ name }) => name));
  const entries = Object.entries(values);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !secretNames.has(name))),
    secret: Object.fromEntries(entries.filter(([name]) => secretNames.has(name))),
  };
}

function sizeIssue(value: Json | LazyJson): string | undefined {
  const { length } = jsonBytes(value);
  return length <= PLAIN_MAX_BYTES ? undefined : `must be at most ${PLAIN_MAX_BYTES / 1024} KiB of JSON`;
}

function isSecret(descriptor: FieldDescriptor): boolean {
  return descriptor.isPassword || descriptor.maskInLogs;
}

function listed(keys: readonly string[]): string {
  const choices = keys.slice(0, 20).join(', ');
  return keys.length > 20 ? `${choices}, …` : choices;
}
