import { partsOfOutput } from '@fairlead/connector-runtime/outputs/output-parts';
import { validationError } from '@fairlead/errors/api-error';
import type { Outcome } from './execution.ts';

/** The paths to what of an output is returned. */
export type OutputFields = readonly string[];

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
  return paths;
}

function isPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && path.split('.').every((name) => name !== '');
}

/** An outcome with the part of its output that is requested. */
export function projectOutcome(outcome: Outcome, fields: OutputFields | undefined): Outcome {
  if (!outcome.isSuccess || fields === undefined) return outcome;
  return { isSuccess: true, output: partsOfOutput(outcome.output, fields) };
}
