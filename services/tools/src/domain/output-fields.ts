import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';
import type { Outcome } from './execution.ts';

/** What of an output is returned: the members that a path leads through; undefined: all that a path ends at. */
export type OutputFields = ReadonlyMap<string, OutputFields | undefined>;

/** Most paths of one call, and most characters of one path. Source: docs/limits.md. */
const MAX_PATHS = 100;
const MAX_PATH_LENGTH = 200;

/**
 * Reads paths such as `items.name`: names of members from the output down, separated by dots; an array on the way stands for
 * each of its items. Undefined if there are none, which means the whole output. VALIDATION_ERROR names paths that are malformed.
 */
export function readOutputFields(paths: readonly string[]): OutputFields | undefined {
  if (paths.length === 0) return undefined;
  if (paths.length > MAX_PATHS)
    throw validationError({ field: 'outputFields', issue: `must be at most ${MAX_PATHS} paths` });
  const issues = paths.flatMap((path, index) =>
    isPath(path)
      ? []
      : [
          {
            field: `outputFields[${index}]`,
            issue: `must be names separated by dots, at most ${MAX_PATH_LENGTH} characters`,
          },
        ],
  );
  if (issues.length > 0) throw validationError(...issues);
  const root: Branch = new Map();
  for (const path of paths) add(root, path.split('.'));
  return root;
}

type Branch = Map<string, Branch | undefined>;

function isPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && path.split('.').every((name) => name !== '');
}

function add(branch: Branch, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  if (rest.length === 0) return void branch.set(name, undefined);
  // A shorter path returns everything below it already.
  if (branch.has(name) && branch.get(name) === undefined) return;
  const next: Branch = branch.get(name) ?? new Map<string, Branch | undefined>();
  branch.set(name, next);
  add(next, rest);
}

/** An outcome with the part of its output that is requested. */
export function projectOutcome(outcome: Outcome, fields: OutputFields | undefined): Outcome {
  if (!outcome.isSuccess || fields === undefined) return outcome;
  return { isSuccess: true, output: projectOutput(outcome.output, fields) };
}

/**
 * The part of an output that is requested. What the output does not have is left out; a value that a path would lead through
 * and that has no members, too.
 */
function projectOutput(output: JsonObject, fields: OutputFields): JsonObject {
  return Object.fromEntries(
    Object.entries(output).flatMap(([name, value]) => {
      if (!fields.has(name)) return [];
      const below = fields.get(name);
      const part = below === undefined ? value : projectValue(value, below);
      return part === undefined ? [] : [[name, part]];
    }),
  );
}

function projectValue(value: Json, fields: OutputFields): Json | undefined {
  if (isJsonArray(value))
    return value.flatMap((item) => {
      const part = projectValue(item, fields);
      return part === undefined ? [] : [part];
    });
  return isJsonObject(value) ? projectOutput(value, fields) : undefined;
}
