import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** The requested part of an output: the members on a path; undefined: everything from here. */
type Branch = Map<string, Branch | undefined>;

/**
 * The requested part of an output. Paths such as `items.name` are member names separated by dots; an array on the way
 * stands for each of its items. Missing members are left out, and so are values without any requested member.
 */
export function partsOfOutput(output: JsonObject, paths: readonly string[]): JsonObject {
  const root: Branch = new Map();
  for (const path of paths) add(root, path.split('.'));
  return projectOutput(output, root);
}

function add(branch: Branch, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  if (rest.length === 0) return void branch.set(name, undefined);
  // A shorter path already returns everything below it.
  if (branch.has(name) && branch.get(name) === undefined) return;
  const next: Branch = branch.get(name) ?? new Map<string, Branch | undefined>();
  branch.set(name, next);
  add(next, rest);
}

function projectOutput(output: JsonObject, fields: Branch): JsonObject {
  return Object.fromEntries(
    Object.entries(output).flatMap(([name, value]) => {
      if (!fields.has(name)) return [];
      const below = fields.get(name);
      const part = below === undefined ? value : projectValue(value, below);
      return part === undefined ? [] : [[name, part]];
    }),
  );
}

function projectValue(value: Json, fields: Branch): Json | undefined {
  if (isJsonArray(value))
    return value.flatMap((item) => {
      const part = projectValue(item, fields);
      return part === undefined ? [] : [part];
    });
  return isJsonObject(value) ? projectOutput(value, fields) : undefined;
}
