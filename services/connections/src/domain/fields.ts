import type {
  AuthenticationMethod,
  FieldDescriptor,
  Json,
  JsonObject,
} from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { FieldOptions } from './connection.ts';

/** Derived by the server; ignored where the method has no field of that name. Source: developer-api.md. */
const SERVER_DERIVED = new Set(['ApiKey', 'RefreshToken']);
const REFUSED = 'ExternalOrgId';
const MAX_ISSUES = 100;

/** Field values, the secret ones apart. */
export interface SplitFields {
  readonly plain: JsonObject;
  readonly secret: JsonObject;
}

/** Throws INVALID_FIELD when `given` names a field that no method takes from a caller. */
export function refuseReservedFields(given: JsonObject): void {
  if (!Object.hasOwn(given, REFUSED)) return;
  throw new ApiError('INVALID_FIELD', `The field ${REFUSED} cannot be set.`, {
    details: [{ field: `fields.${REFUSED}`, issue: 'is derived by the server and cannot be sent' }],
  });
}

/**
 * The values that a method without a sign-in saves, defaults filled in; null counts as absent. Throws VALIDATION_ERROR
 * naming every unknown, missing or ill-typed field, or INVALID_ENUM_VALUE where all that is wrong are choices that a field
 * does not offer.
 * @param heldElsewhere fields whose value the OAuth client in use has; they are neither asked for nor saved
 */
export function checkDirectFields(
  method: Pick<AuthenticationMethod, 'fields' | 'authenticationName'>,
  given: JsonObject,
  heldElsewhere: ReadonlySet<string>,
): JsonObject {
  const issues: FieldIssue[] = [];
  const known = new Set(method.fields.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (!known.has(name) && !SERVER_DERIVED.has(name)) {
      issues.push({
        field: `fields.${name}`,
        issue: `is not a field of the method ${method.authenticationName}`,
      });
    }
  }
  let wrongChoices = 0;
  const values: Record<string, Json> = {};
  for (const descriptor of method.fields) {
    const { name } = descriptor;
    if (heldElsewhere.has(name)) continue;
    const value = (Object.hasOwn(given, name) ? given[name] : null) ?? descriptor.defaultValue;
    if (value === null || (value === '' && descriptor.isRequired)) {
      if (descriptor.isRequired) issues.push({ field: `fields.${name}`, issue: 'is required' });
      continue;
    }
    const issue = typeIssue(descriptor, value);
    if (issue === undefined) values[name] = value;
    else issues.push({ field: `fields.${name}`, issue });
    if (issue !== undefined && descriptor.type === 'select') wrongChoices += 1;
  }
  if (issues.length > 0) throw refusalOf(issues, wrongChoices === issues.length);
  return values;
}

function refusalOf(issues: readonly FieldIssue[], isWrongChoice: boolean): ApiError {
  // The first ones tell enough; a body may hold hundreds of thousands of wrong names.
  const details = issues.slice(0, MAX_ISSUES);
  if (!isWrongChoice) return validationError(...details);
  const text = details.map(({ field, issue }) => `${field} ${issue}.`).join(' ');
  return new ApiError('INVALID_ENUM_VALUE', text, { details });
}

/**
 * The choices that a sign-in method saves: of the fields that `options` lists, the given key or else the first one; any
 * other name in `given` is ignored. Throws VALIDATION_ERROR naming each field whose value is no key.
 */
export function chooseOptionFields(options: FieldOptions, given: JsonObject): JsonObject {
  const issues: FieldIssue[] = [];
  const values: Record<string, Json> = {};
  for (const [name, labels] of Object.entries(options)) {
    const keys = Object.keys(labels);
    const wanted = (Object.hasOwn(given, name) ? given[name] : null) ?? keys[0];
    if (wanted === undefined) continue;
    if (typeof wanted === 'string' && Object.hasOwn(labels, wanted)) values[name] = wanted;
    else issues.push({ field: `fields.${name}`, issue: `must be one of ${listed(keys)}` });
  }
  if (issues.length > 0) throw validationError(...issues);
  return values;
}

/** The part of `chosen` that is still legal under `options`: what a renewed sign-in keeps of the former choices. */
export function stillLegal(options: FieldOptions, chosen: JsonObject): JsonObject {
  const legal = Object.entries(chosen).filter(
    ([name, value]) => typeof value === 'string' && Object.hasOwn(options[name] ?? {}, value),
  );
  return Object.fromEntries(legal);
}

/** Splits checked values into what may be shown and what must be sealed. */
export function splitSecrets(method: Pick<AuthenticationMethod, 'fields'>, values: JsonObject): SplitFields {
  const secretNames = new Set(method.fields.filter(isSecret).map(({ name }) => name));
  const entries = Object.entries(values);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !secretNames.has(name))),
    secret: Object.fromEntries(entries.filter(([name]) => secretNames.has(name))),
  };
}

function isSecret(descriptor: FieldDescriptor): boolean {
  return descriptor.isPassword || descriptor.maskInLogs;
}

function typeIssue(descriptor: FieldDescriptor, value: Json): string | undefined {
  switch (descriptor.type) {
    case 'string':
      return typeof value === 'string' ? undefined : 'must be a string';
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'select': {
      const keys = descriptor.options.map((option) => option.value);
      return typeof value === 'string' && keys.includes(value) ? undefined : `must be one of ${listed(keys)}`;
    }
    case 'json':
      return undefined;
  }
}

function listed(keys: readonly string[]): string {
  const shown = keys.slice(0, 20).join(', ');
  return keys.length > 20 ? `${shown}, …` : shown;
}
