import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** JSON of each argument, as sent. */
export type ToolArguments = Readonly<Record<string, Uint8Array>>;

/** The parsed values of these arguments; null counts as absent. */
export function argumentValues(
  args: ToolArguments,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.map((name) => {
      const json = args[name];
      const value = json && new LazyJson(json, `fields.${name}`).parse();
      return [name, value ?? undefined];
    }),
  );
}

/** The argument `name`; VALIDATION_ERROR if it is not text. */
export function nameArgument(args: ToolArguments): string {
  const { name } = argumentValues(args, ['name']);
  if (typeof name === 'string') return name;
  throw validationError(argumentIssue('name', 'must be a text'));
}

/** The VALIDATION_ERROR for an argument. */
export function argumentIssue(name: string, issue: string): FieldIssue {
  return { field: `fields.${name}`, issue };
}
