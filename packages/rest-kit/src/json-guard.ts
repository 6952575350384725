import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { validationError } from '@fairlead/errors/api-error';
import { fieldPath } from './field-path.ts';

/** Maximum length of a path in an error text. */
const MAX_PATH_LENGTH = 1000;

/** A position in the body, linked to its parent. This costs less than a path for each of a million members. */
interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/**
 * Refuses JSON that no service could accept: numbers beyond IEEE 754, invalid Unicode, and member names that a
 * database cannot store. Removes members named `__proto__`, which no API has and which careless code would follow.
 * Only needed for bodies that requireJsonBounds flags, because reading every member of a large body costs as much as
 * parsing it.
 */
export function guardJson(body: JsonObject): void {
  const open: { readonly container: JsonObject | JsonValue[]; readonly place: Place | undefined }[] = [];
  open.push({ container: body, place: undefined });
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { container, place } = entry;
    if (!Array.isArray(container)) delete container['__proto__'];
    for (const key of Object.keys(container)) {
      const at: Place = { parent: place, key: Array.isArray(container) ? Number(key) : key };
      const value = Reflect.get(container, key) as JsonValue;
      const issue = (Array.isArray(container) ? undefined : nameIssue(key)) ?? valueIssue(value);
      if (issue !== undefined)
        throw validationError({ field: fieldPath(pathOf(at)).slice(0, MAX_PATH_LENGTH), issue });
      if (typeof value === 'object' && value !== null) open.push({ container: value, place: at });
    }
  }
}

function nameIssue(name: string): string | undefined {
  return name.includes('\0') || !name.isWellFormed() ? 'must not have that name' : undefined;
}

function valueIssue(value: JsonValue): string | undefined {
  if (typeof value === 'string' && !value.isWellFormed()) return 'must be well-formed Unicode text';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must be a number that IEEE 754 can hold';
  return undefined;
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}
